"""What is read out of a question's numbers as a whole, before the rest of them are put into slots."""
