package dev.weir.http;

import java.util.List;

/**
 * The figures that a response has of a limit that granted.
 *
 * @param policies of all parts of the limit
 * @param policy the part of which the other figures are, with the quota of that moment
 * @param remaining -1 = not known; otherwise at most the quota of the policy
 * @param resetNanos -1 = not known
 */
record Told(List<Policy> policies, Policy policy, long remaining, long resetNanos) {}
