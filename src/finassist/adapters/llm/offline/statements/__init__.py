"""How the offline model asks the statements of a conversation, and how it reads a result out."""
