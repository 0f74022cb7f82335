"""Questions and articles: words, passages, relevance, and whether an article answers."""
