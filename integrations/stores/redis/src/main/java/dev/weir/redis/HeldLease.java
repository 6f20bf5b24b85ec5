package dev.weir.redis;

/** A lease that the store counts: permits under a fencing token. */
record HeldLease(long token, long permits) {}
