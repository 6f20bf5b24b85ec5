package dev.weir.redis;

/** What the store counts: permits under a fencing token. */
record Lease(long token, long permits) {}
