"""What operators run on the data of a service: moving it, and checking that it fits together."""
