"""Every interval, test and seeded draw of the project, one concept a file.

Each estimate is an :class:`~boresight.stats.interval.Interval`: a value, two ends, and the reason
where one is missing.
"""
