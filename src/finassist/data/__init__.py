"""Data that ships with the service; read through ``adapters/data_files/shipped.py``."""
