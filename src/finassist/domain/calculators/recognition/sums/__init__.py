"""Sums that the units of the numbers make: products, totals, shares, averages, rates for another unit."""
