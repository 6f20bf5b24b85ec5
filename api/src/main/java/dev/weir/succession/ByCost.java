package dev.weir.succession;

import dev.weir.Request;

/** A limit that may take the cost of a request in place of its permits, which is known only afterwards, or a route to one. */
public interface ByCost {
    /** True if it, or a part of it, does. Always the same. */
    boolean isByCost();

    /**
     * Spends the cost of a request, or its permits if it has none, and never refuses: what is not left is a debt.
     *
     * @return whether something was spent: not if it is not by cost, or if the request has not the key that it counts by
     */
    boolean charge(Request request);

    /**
     * Refunds this part of the cost of a grant, as far as it has not refilled since, where costs were taken; nothing else.
     *
     * @param back a request like the one that was granted, whose cost is this part
     * @param grantedAt the reading of the ticker just before the grant
     */
    void refundCost(Request back, long grantedAt);
}
