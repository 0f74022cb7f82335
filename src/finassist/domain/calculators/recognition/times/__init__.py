"""Times as a text tells them: periods, dates, and days of a month."""
