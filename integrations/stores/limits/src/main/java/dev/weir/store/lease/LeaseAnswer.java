package dev.weir.store.lease;

import java.util.List;

/**
 * The answer to a call.
 *
 * @param reply its token and its reason are those of a request for a lease
 * @param done of leases that are renewed or released, for each whether it was
 */
record LeaseAnswer(LeaseReply reply, List<Boolean> done) {}
