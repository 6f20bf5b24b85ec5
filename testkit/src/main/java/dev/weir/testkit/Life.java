package dev.weir.testkit;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.Composition.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One limiter from its creation on, beside a list of all that it granted. Used once, by one thread. */
final class Life {
    private static final int SLICES = 16;
    private static final int SELDOM = 8;
    private static final Object ALL = new Object();

    /** What a life found. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1;

        Violation(String what) {
            super(what);
        }
    }

    private record Held(
            Permit permit,
            @Nullable Permit twins,
            Request request,
            GrantList.Grant grant,
            boolean refundable,
            boolean holds,
            boolean byKey,
            int changes) {}

    private final List<Composition> compositions;
    private final VirtualTime time;
    private final ManagedLimiter limiter;
    private @Nullable ManagedLimiter twin;
    private final GrantList grants = new GrantList();
    private final List<Held> out = new ArrayList<>();
    private final List<Held> released = new ArrayList<>();
    private final Map<Object, Long> inFlight = new HashMap<>();
    private final @Nullable List<String> told;
    private Composition inForce;
    private boolean holds;
    private boolean holdsByKey;
    private boolean isByKey;
    private boolean isOfAll;
    private final LimitsInForce limits = new LimitsInForce();
    private final List<Long> changes = new ArrayList<>();
    private @Nullable Registration observed;
    private long admitted;
    private long admittedBeforeCounting = -1;
    private long doubleReleases;
    private long lastWait;
    private boolean wentBack;
    private boolean countsTwice;
    int steps;

    /**
     * @param hasTwin whether a second limiter, unwatched and without evictions, answers the same requests but those that
     *     cost nothing, and must answer the same
     */
    Life(List<Composition> compositions, long origin, boolean hasTwin, @Nullable List<String> told) {
        this.compositions = compositions;
        this.told = told;
        this.time = new VirtualTime(origin);
        this.inForce = compositions.get(0);
        this.limiter = Limiters.builder("limiter", inForce.spec()).ticker(time).build();
        this.twin =
                hasTwin ? Limiters.builder("twin", inForce.roomy()).ticker(time).build() : null;
        isInForce();
        readLimits();
    }

    private void isInForce() {
        holds = inForce.holds();
        holdsByKey = inForce.holdsByKey();
        isByKey = inForce.isByKey();
        isOfAll = inForce.concurrencyLimits().stream().anyMatch(part -> !part.byKey());
    }

    void live(List<Step> all) {
        for (Step step : all) {
            tell(() -> "\n  " + step);
            try {
                take(step);
            } catch (Violation v) {
                throw v;
            } catch (RuntimeException | Error e) {
                throw (Violation) new Violation("threw " + e).initCause(e);
            }
            steps++;
        }
        releaseAll();
        checkCounts();
    }

    void tell(Supplier<String> what) {
        if (told != null) {
            told.add(what.get());
        }
    }

    private void take(Step step) {
        switch (step.kind()) {
            case TRY -> ask(step.request(), false);
            case ATTEMPT -> ask(step.request(), true);
            case CALL -> call(step.request(), step.other() % 3 == 0);
            case FILL -> fill(step.request());
            case CANCELLED_ATTEMPT -> cancelledAttempt(step.request());
            case RELEASE -> release(step);
            case RELEASE_AGAIN -> releaseAgain(step);
            case PASS -> pass(step.number());
            case WAIT -> pass(lastWait);
            case BACK -> back(step.number());
            case CHANGE -> change(compositions.get(step.other() % compositions.size()));
            case DIAL -> dial(step.number());
            case WATCH -> watch(step.other() % 3);
            case PROBE -> probe(step.request(), step.other());
        }
        checkInFlight();
    }

    void pass(long nanos) {
        long left = nanos;
        for (int slices = inForce.moves() ? SLICES : 1; slices > 0; slices--) {
            long slice = left / slices;
            left -= slice;
            time.advance(slice);
            if (inForce.moves()) {
                readLimits();
            }
            grants.pass(slice);
        }
    }

    private void back(long nanos) {
        time.jumpTo(time.read() - nanos);
        wentBack = true;
    }

    /* What was evicted is carried by a change as what was used, not as the state of its algorithm. */
    private void changes() {
        changes.add(grants.now());
        if (compositions.stream().anyMatch(Composition::evicts)) {
            twin = null;
        }
    }

    private void change(Composition next) {
        tell(() -> " -> " + next.spec());
        if (inForce.moves()) {
            grants.inForce(inForce.parts(), limits.ratesOnceRisen()); // it may go on rising, out of sight
        }
        changes();
        limiter.reconfigure(next.spec());
        if (twin != null) {
            twin.reconfigure(next.roomy());
        }
        countsTwice |= inFlight(ALL) > 0 && (holdsByKey || next.holdsByKey());
        inForce = next;
        isInForce();
        readLimits();
    }

    private void dial(long limit) {
        changes();
        limiter.dial().setLimit(limit);
        if (twin != null) {
            twin.dial().setLimit(limit);
        }
        limits.set(limit);
        readLimits();
    }

    private void watch(int how) {
        if (how == 0 && admittedBeforeCounting < 0) {
            limiter.counts();
            admittedBeforeCounting = admitted;
        } else if (observed == null) {
            observed = limiter.observe(new LimiterObserver() {});
        } else {
            observed.close();
            observed = null;
        }
    }

    private void readLimits() {
        if (limits.read(inForce, limiter.snapshot())) {
            grants.inForce(inForce.parts(), limits.rates());
        }
    }

    private Decision ask(Request request, boolean attempt) {
        Decision decision = attempt ? limiter.attempt(request) : limiter.tryAcquire(request);
        Decision twins = twin == null ? null : attempt ? twin.attempt(request) : twin.tryAcquire(request);
        tell(() -> " -> " + text(decision));
        if (twins != null && decision instanceof Permit != twins instanceof Permit) {
            throw new Violation("the twin, to which nothing refused, cancelled, evicted or observed happened, answered "
                    + text(twins));
        }
        if (decision instanceof Permit permit) {
            boolean refundable = attempt || holds;
            GrantList.Grant grant = granted(request);
            out.add(new Held(permit, (Permit) twins, request, grant, refundable, holds, holdsByKey, changes.size()));
            hold(request, 1, holds, holdsByKey);
        } else {
            refused(request, (Rejection) decision);
        }
        return decision;
    }

    private static String text(Decision decision) {
        return decision instanceof Rejection rejection
                ? rejection.reason() + " " + rejection.retryAfterNanos()
                : "granted";
    }

    private GrantList.Grant granted(Request request) {
        if (inForce.moves()) {
            readLimits();
        }
        admitted++;
        if (request.key() == null && isByKey) {
            throw new Violation("granted without a key");
        }
        for (int i = 0; i < inForce.parts().size(); i++) {
            Part part = inForce.parts().get(i);
            if (part.law() instanceof Concurrency law) {
                long before = inFlight(part, request);
                if (before + request.permits() > law.most().of(limits.of(i), request)) {
                    throw new Violation(
                            "granted with " + before + " in flight by " + part + " at limit " + limits.of(i));
                }
            }
        }
        GrantList.Grant grant = grants.granted(request.permits(), request.key());
        String excess = grants.excess(request.key());
        if (!excess.isEmpty()) {
            throw new Violation("granted " + excess);
        }
        return grant;
    }

    private void refused(Request request, Rejection rejection) {
        if (inForce.moves()) {
            readLimits();
        }
        long wait = rejection.retryAfterNanos();
        lastWait = wait;
        boolean tooMany = request.key() == null && isByKey;
        boolean never = tooMany;
        boolean rate = false;
        for (int i = 0; i < inForce.parts().size(); i++) {
            Part part = inForce.parts().get(i);
            if (part.law() instanceof Concurrency law) {
                long least = law.least().of(limits.of(i), request);
                tooMany |= countsTwice || inFlight(part, request) + request.permits() > least;
                never |= request.permits() > least;
            } else {
                rate = true;
                never |= limits.isTooLarge(i, request.permits());
            }
        }
        boolean justified = switch (rejection.reason()) {
            case NEVER -> never && wait == 0;
            case CONCURRENCY, SHED -> tooMany && (wait == 0 || inForce.moves());
            case RATE -> (rate || inForce.moves()) && wait > 0;
            default -> false;
        };
        if (!justified) {
            throw new Violation("refused " + text(rejection) + " with " + inFlight + " in flight");
        }
    }

    private long inFlight(Part part, Request request) {
        Object whose = part.byKey() ? request.key() : ALL;
        return whose == null ? 0 : inFlight(whose);
    }

    private long inFlight(Object whose) {
        return inFlight.getOrDefault(whose, 0L);
    }

    private void hold(Request request, int sign, boolean holds, boolean byKey) {
        if (holds) {
            inFlight.merge(ALL, sign * request.permits(), Long::sum);
            countsTwice &= inFlight(ALL) > 0;
        }
        if (byKey) {
            inFlight.merge(Objects.requireNonNull(request.key()), sign * request.permits(), Long::sum);
        }
    }

    private void fill(Request request) {
        for (int i = 0; i < 40 && ask(request, false) instanceof Permit; i++) {
            steps++;
        }
    }

    private void call(Request request, boolean throwing) {
        Decision[] got = new Decision[1];
        try {
            limiter.call(
                    request,
                    () -> {
                        if (throwing) {
                            throw new IllegalStateException("thrown by the work");
                        }
                        return 1;
                    },
                    rejection -> {
                        got[0] = rejection;
                        return 0;
                    });
        } catch (Exception thrownByTheWork) {
            tell(() -> " threw");
        }
        Decision twins = twin == null ? null : twin.tryAcquire(request);
        if (twins != null && (got[0] == null) != twins instanceof Permit) {
            throw new Violation("call was answered " + got[0] + ", tryAcquire of the twin " + text(twins));
        }
        if (twins instanceof Permit permit) {
            permit.release(Outcome.SUCCESS);
        }
        if (got[0] instanceof Rejection rejection) {
            tell(() -> " -> " + text(rejection));
            refused(request, rejection);
        } else {
            tell(() -> " " + "-> granted");
            granted(request);
        }
    }

    private void cancelledAttempt(Request request) {
        Decision decision = limiter.attempt(request);
        tell(() -> " -> " + text(decision));
        if (decision instanceof Permit permit) {
            GrantList.Grant grant = granted(request);
            permit.release(Outcome.CANCELLED);
            grants.cancelled(grant);
        } else {
            refused(request, (Rejection) decision);
        }
    }

    private void release(Step step) {
        if (!out.isEmpty()) {
            Held held = out.remove(step.other() % out.size());
            boolean isCancelled = step.outcome() == Outcome.CANCELLED;
            release(held, isCancelled && isAmbiguous(held) ? Outcome.SUCCESS : step.outcome());
        }
    }

    /* At the very instant of a change it is not known whether a grant was before or after it. */
    private boolean isAmbiguous(Held held) {
        return held.changes < changes.size() && changes.get(held.changes) == held.grant.at;
    }

    private void release(Held held, Outcome outcome) {
        if (!held.permit.release(outcome)) {
            throw new Violation("the first release said false");
        }
        if (held.twins != null) {
            held.twins.release(outcome);
        }
        hold(held.request, -1, held.holds, held.byKey);
        if (outcome == Outcome.CANCELLED && held.refundable) {
            grants.cancelled(held.grant);
            twin = inForce.evicts() ? null : twin; // what is released after its key was evicted stays used
        }
        released.add(held);
    }

    private void releaseAgain(Step step) {
        if (released.isEmpty()) {
            return;
        }
        Held held = released.get(step.other() % released.size());
        boolean isSpent = !held.refundable;
        doubleReleases += isSpent ? 0 : 1;
        if (held.permit.release(step.outcome()) != isSpent) {
            throw new Violation("a second release said " + !isSpent);
        }
    }

    private void releaseAll() {
        while (!out.isEmpty()) {
            release(out.remove(out.size() - 1), Outcome.SUCCESS);
        }
        checkInFlight();
    }

    private void checkInFlight() {
        long expected = inFlight(ALL);
        if (!isOfAll && steps % SELDOM != 0 && isByKey) {
            return; // it is found by counting
        }
        if (!isOfAll) {
            expected = inFlight.entrySet().stream()
                    .filter(entry -> entry.getKey() != ALL && holds)
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
        if (countsTwice ? limiter.inFlight() < expected : limiter.inFlight() != expected) {
            throw new Violation("inFlight() is " + limiter.inFlight() + ", expected " + expected);
        }
    }

    private void checkCounts() {
        if (admittedBeforeCounting >= 0 && limiter.counts().admitted() != admitted - admittedBeforeCounting) {
            throw new Violation("counted " + limiter.counts().admitted() + " admitted, expected "
                    + (admitted - admittedBeforeCounting));
        }
        if (limiter.counts().doubleReleases() != doubleReleases) {
            throw new Violation(
                    "counted " + limiter.counts().doubleReleases() + " double releases, expected " + doubleReleases);
        }
        if (limiter.counts().failures() != 0) {
            throw new Violation("something threw and was swallowed");
        }
    }

    /* Compares the limiter, with nothing in flight, with one that was drained just now. */
    private void probe(Request request, int seed) {
        releaseAll();
        if (wentBack || (request.key() == null && isByKey)) {
            return;
        }
        if (inForce.moves()) {
            readLimits();
        }
        Probe probe = new Probe(this, request);
        if (inForce.motion() == Motion.RISES_AND_FALLS) {
            probe.waitUntilGranted();
        } else {
            probe.compare(new Drained(inForce.parts(), limits.all(), time), seed);
        }
    }

    /** Asks; what is granted is released at once. */
    boolean isGranted(Request request) {
        boolean granted = ask(request, false) instanceof Permit;
        if (granted) {
            release(out.remove(out.size() - 1), Outcome.SUCCESS);
            steps++;
        }
        return granted;
    }

    long lastWait() {
        return lastWait;
    }

    long now() {
        return time.read();
    }

    Composition inForce() {
        return inForce;
    }

    LimitsInForce limits() {
        return limits;
    }
}
