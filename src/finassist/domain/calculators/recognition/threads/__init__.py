"""What a later message has done with the result that a thread has come to."""
