"""Campaigns: runs are cut into batches, done on a Dask cluster, and kept in a store that survives a kill at any moment.

`campaign` asks a method, has done what is missing, and `telling` tells it; `batches` cuts, `pool` is the cluster, `worker` runs on it;
`store` adds to the files of `uqmbd.runs`, one a chunk, and finds runs by the `index`; `opening` makes a store or takes one up.
"""
