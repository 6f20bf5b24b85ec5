package dev.weir.store.lease;

/** Permits that a store counts under a token, until their lease ends. */
public record HeldLease(long token, long permits) {}
