package dev.weir.testkit;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.testkit.GrantList.Grant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The permits of one execution that are held, and those that were released. */
final class HeldPermits {
    /** One permit; {@code isOwn} if it is an object of its own, which takes one release only; settled if it {@code isByCost}. */
    private record Held(
            Permit permit,
            @Nullable Permit ofTwin,
            Grant grant,
            PermitsInFlight.Entry entry,
            boolean isOwn,
            boolean isByCost) {
        boolean isRefundable() {
            return entry.request().isRefundable();
        }
    }

    private final LimitModel model;
    private final Twin twin;
    private final List<Held> held = new ArrayList<>();
    private final List<Held> released = new ArrayList<>();
    private long doubleReleases;
    private long settledAgain;

    HeldPermits(LimitModel model, Twin twin) {
        this.model = model;
        this.twin = twin;
    }

    void add(Permit permit, @Nullable Permit ofTwin, Request request, Grant grant, boolean attempt) {
        PermitsInFlight.Entry entry = model.inFlight().add(request);
        boolean isOwn = attempt || entry.isCounted() || request.isRefundable() || request.isSettled();
        boolean isByCost = request.isSettled() && model.isByCost(request);
        held.add(new Held(permit, ofTwin, grant, entry, isOwn, isByCost));
    }

    /** Releases one of those that are held, if any. */
    void release(int which, Outcome outcome) {
        if (!held.isEmpty()) {
            Held one = held.remove(which % held.size());
            boolean isAmbiguous = outcome == Outcome.CANCELLED && model.grants().isAtAChange(one.grant);
            release(one, isAmbiguous ? Outcome.SUCCESS : outcome);
        }
    }

    /* The model is told first here too. At the instant of a change nobody knows which limit granted it: then nothing goes back. */
    void settle(int which, long cost) {
        if (held.isEmpty()) {
            return;
        }
        Held one = held.get(which % held.size());
        Request request = one.entry.request();
        boolean isFirst = one.isByCost && !one.grant.isSettled();
        long actual = model.grants().isAtAChange(one.grant) ? Math.max(cost, request.cost()) : cost;
        if (isFirst) {
            model.grants().settled(one.grant, actual);
            if (actual > request.cost()) {
                model.charged();
            }
            if (model.inForce().evicts()) {
                twin.giveUp();
            }
        }
        settledAgain += one.isByCost && !isFirst ? 1 : 0;
        if (one.permit.settle(actual) != isFirst) {
            throw new Violation("settle said " + !isFirst);
        }
        if (one.ofTwin != null) {
            one.ofTwin.settle(actual);
        }
    }

    long settledAgain() {
        return settledAgain;
    }

    void releaseLast() {
        release(held.remove(held.size() - 1), Outcome.SUCCESS);
    }

    void releaseAll() {
        while (!held.isEmpty()) {
            releaseLast();
        }
    }

    /* The model is told first: a release may grant a request that waits. */
    private void release(Held one, Outcome outcome) {
        model.inFlight().remove(one.entry);
        if (outcome == Outcome.CANCELLED && one.isRefundable() && !one.grant.isSettled()) {
            model.grants().cancelled(one.grant);
            if (model.inForce().evicts()) {
                twin.giveUp(); // what is released after its key was evicted stays used
            }
        }
        released.add(one);
        if (!one.permit.release(outcome)) {
            throw new Violation("the first release said false");
        }
        if (one.ofTwin != null) {
            one.ofTwin.release(outcome);
        }
    }

    /** Releases one of those that were released, if any. The permit of a rate alone does not know that it was, and says true. */
    void releaseAgain(int which, Outcome outcome) {
        if (released.isEmpty()) {
            return;
        }
        Held one = released.get(which % released.size());
        doubleReleases += one.isOwn ? 1 : 0;
        settledAgain += one.isByCost ? 1 : 0;
        if (one.permit.settle(1)) {
            throw new Violation("settled after the release");
        }
        if (one.permit.release(outcome) == one.isOwn) {
            throw new Violation("a second release said " + one.isOwn);
        }
    }

    long doubleReleases() {
        return doubleReleases;
    }
}
