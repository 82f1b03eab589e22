"""Campaigns: runs are cut into batches, done on a Dask cluster, and kept in a store that survives a kill at any moment.

`campaign` asks a method and tells it, `batches` cuts, `pool` is the cluster, `worker` runs on it; `store` keeps the runs in the `layout`
that zarr reads, committed by the `journal`; `opening` makes a store or takes one up.
"""
