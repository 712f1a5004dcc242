"""Plans a build: chooses the addresses of its kernels, and of spares for kernels that fail their proof.

A *stream* is the endless sequence of candidates of one purpose, or of one kind of random programs at one
level (`StreamKey`). Its first candidates are scanned (`candidate_scan`): workers sample them and return
`Facts`. A *pass* (`choose`) reads streams from their starts, one candidate after another and one family
after another, and chooses rows by the quotas of `mix`, then spares. It takes no skeleton twice, and nothing
that the near-duplicate filter refuses (`stream`, `near_duplicates`). When it comes to the end of what is
scanned of a stream, it assumes that the next candidates would serve, counts them as missing and goes on.

`make_plan` alternates both: a pass, a scan of what was missing, and a new pass from the start. The first pass
knows what the scan cache holds, mostly nothing, and says how many to scan. The first pass that misses nothing
is the plan. It has read no stream to the end of what is scanned, so neither that length, nor workers, nor the
scan cache change the plan.
"""
