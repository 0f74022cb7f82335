"""What users send is opened here, in processes of its own (docs/adr/0007-decoding-processes.md)."""
