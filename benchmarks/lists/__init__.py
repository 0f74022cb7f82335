"""What grows: the lists beside a bare route, and everything with more messages and more users stored."""
