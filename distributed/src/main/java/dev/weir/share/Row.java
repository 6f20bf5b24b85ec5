package dev.weir.share;

/**
 * The row of one instance in the ledger.
 *
 * @param token of the start of the instance, so that two with one id have a row each
 * @param granted the share: the instance enforces no more than this
 * @param degraded what the instance enforces at most after it has lost the registry
 * @param quota what the instance knows as the quota
 * @param demand {@link #MAX} if it takes whatever it gets
 * @param gone the epoch in which others found that it is no member any more; -1 if they did not
 */
record Row(
        String instance, String token, long granted, long degraded, long quota, long weight, long demand, long gone) {
    /** More than the largest figure of a ledger: as much as there is. */
    static final long MAX = 1_000_000_000_000_000_000L;

    static final long MAX_WEIGHT = 1L << 30;

    Row withGranted(long share) {
        return new Row(instance, token, share, degraded, quota, weight, demand, gone);
    }

    Row goneIn(long epoch) {
        return new Row(instance, token, granted, degraded, quota, weight, demand, epoch);
    }

    boolean isGone() {
        return gone >= 0;
    }

    boolean isOf(String id, String start) {
        return instance.equals(id) && token.equals(start);
    }

    /** Saturates. */
    static long sum(long a, long b) {
        return Math.min(MAX, a + b);
    }
}
