// An empty library by the name of the driver's: what links against it finds the driver's functions where the program runs.
