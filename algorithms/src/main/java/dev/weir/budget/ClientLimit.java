package dev.weir.budget;

import dev.weir.succession.PartSpec;

/**
 * A limit around the calls of a client, which learns from their outcomes. It has no number that {@code setLimit} could change, and
 * outcomes are of one instance: so it cannot be adaptive, shared or counted by a store.
 */
public interface ClientLimit extends PartSpec {
    /** The same: there is no such limit. */
    @Override
    default ClientLimit withLimit(long limit) {
        return this;
    }
}
