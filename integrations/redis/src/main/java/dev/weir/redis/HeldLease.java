package dev.weir.redis;

/** What the store counts: permits under a fencing token. */
record HeldLease(long token, long permits) {}
