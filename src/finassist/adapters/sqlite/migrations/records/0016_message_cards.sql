-- The second-opinion card that a user's message stands for: the model gets the card's text in its place.
ALTER TABLE messages ADD COLUMN card_id TEXT;
