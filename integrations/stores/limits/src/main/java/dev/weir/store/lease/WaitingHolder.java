package dev.weir.store.lease;

/**
 * A holder that waits for permits.
 *
 * @param till the microsecond at which it is forgotten, unless it asks again
 * @param isTold whether there is room for it, which is kept until then
 */
record WaitingHolder(String holder, long permits, long till, boolean isTold) {}
