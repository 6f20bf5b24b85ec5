package dev.weir.testkit;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.GrantList.Grant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One execution of a history: a new limiter, beside a model of it. Used once, by one thread. */
final class Execution {
    private static final int SLICES = 16;
    private static final int MAX_FILL = 40;

    private final History history;
    private final ExecutionLog log;
    private final VirtualTime time;
    private final Composition.Subject subject;
    private final @Nullable ManagedLimiter engine;
    private final Twin twin;
    private final LimitModel model;
    private final HeldPermits held;
    private final CountsCheck counts;
    private final @Nullable Waiting waiting;
    private long modelled;
    private long lastWait;
    private boolean wentBack;
    private int steps;

    Execution(History history, ExecutionLog log) {
        this.history = history;
        this.log = log;
        this.time = new VirtualTime(history.origin());
        Composition first = history.compositions().get(0);
        this.subject = history.source().subject(first, time);
        this.engine = subject.engine();
        this.twin = history.hasTwin() ? new Twin(first, time) : Twin.none();
        this.model = new LimitModel(subject, first);
        this.held = new HeldPermits(model, twin);
        this.counts = new CountsCheck(engine);
        this.modelled = time.read();
        this.waiting = history.isQueued() ? new Waiting(this, history.source().queue(engine(), time)) : null;
    }

    private ManagedLimiter engine() {
        return Objects.requireNonNull(engine);
    }

    private Waiting queue() {
        return Objects.requireNonNull(waiting);
    }

    /** Takes the steps until one shows a violation; null if none does. */
    @Nullable
    Violation run() {
        try {
            for (Step step : history.steps()) {
                log.add(() -> "\n  " + step.text(history.source()));
                take(step);
                model.inFlight().check(subject, steps);
                if (waiting != null) {
                    waiting.check();
                }
                steps++;
            }
        } catch (Violation found) {
            return found;
        } catch (RuntimeException | Error e) {
            return (Violation) new Violation("threw " + e).initCause(e);
        }
        return end();
    }

    private @Nullable Violation end() {
        try {
            releaseAll();
            counts.check(held.doubleReleases(), held.settledAgain());
            return null;
        } catch (Violation found) {
            return found;
        }
    }

    /** How many steps it has taken, with the requests of a step that makes many. */
    int steps() {
        return steps;
    }

    private void take(Step step) {
        switch (step.kind()) {
            case TRY -> ask(request(step), false);
            case ATTEMPT -> ask(request(step), true);
            case ENQUEUE -> queue().enqueue(request(step), step.maxWait());
            case CALL -> call(request(step), step.other() % 3 == 0);
            case FILL -> fill(request(step));
            case CANCELLED_ATTEMPT -> cancelledAttempt(request(step));
            case RELEASE -> held.release(step.other(), engine == null ? Outcome.SUCCESS : step.outcome());
            case RELEASE_AGAIN -> held.releaseAgain(step.other(), step.outcome());
            case SETTLE -> held.settle(step.other(), step.actual());
            case CHARGE -> charge(request(step));
            case PASS -> pass(step.number());
            case WAIT -> pass(lastWait);
            case BACK -> back(step.number());
            case CHANGE -> change(composition(step.other()));
            case DIAL -> dial(step.number());
            case WATCH -> counts.watch(step.other() % 3);
            case PROBE -> probe(request(step), step.other());
        }
    }

    private Request request(Step step) {
        return step.request(history.source());
    }

    private Decision ask(Request request, boolean attempt) {
        if (waiting != null && !attempt) {
            return waiting.ask(request);
        }
        Decision decision = attempt ? engine().attempt(request) : subject.tryAcquire(request);
        log.addAnswer(decision);
        Permit ofTwin = twin.ask(request, attempt, decision instanceof Permit);
        if (decision instanceof Permit permit) {
            held.add(permit, ofTwin, request, granted(request), attempt);
        } else {
            refused(request, (Rejection) decision);
        }
        return decision;
    }

    /** A request was granted through the queue. */
    void grantedByQueue(Request request, Permit permit) {
        held.add(permit, null, request, granted(request), true);
    }

    private Grant granted(Request request) {
        counts.admitted();
        return model.granted(request);
    }

    void refused(Request request, Rejection rejection) {
        lastWait = rejection.retryAfterNanos();
        model.refused(request, rejection);
    }

    private void fill(Request request) {
        for (int i = 0; i < MAX_FILL && ask(request, false) instanceof Permit; i++) {
            steps++;
        }
    }

    private void call(Request request, boolean throwing) {
        if (waiting != null || engine == null) {
            ask(request, false);
            return;
        }
        Rejection[] refused = new Rejection[1];
        try {
            engine.call(
                    request,
                    () -> {
                        if (throwing) {
                            throw new IllegalStateException("thrown by the work");
                        }
                        return 1;
                    },
                    rejection -> {
                        refused[0] = rejection;
                        return 0;
                    });
        } catch (Exception thrownByTheWork) {
            log.add(() -> " threw");
        }
        boolean isGranted = refused[0] == null;
        log.add(() -> " -> " + (isGranted ? "granted" : ExecutionLog.text(refused[0])));
        Permit ofTwin = twin.ask(request, false, isGranted);
        if (ofTwin != null) {
            ofTwin.release(Outcome.SUCCESS);
        }
        if (isGranted) {
            granted(request);
        } else {
            refused(request, refused[0]);
        }
    }

    private void cancelledAttempt(Request request) {
        Decision decision = engine().attempt(request);
        log.addAnswer(decision);
        if (decision instanceof Permit permit) {
            Grant grant = granted(request);
            permit.release(Outcome.CANCELLED);
            model.grants().cancelled(grant);
        } else {
            refused(request, (Rejection) decision);
        }
    }

    private void charge(Request request) {
        boolean isCharged = engine().charge(request);
        log.add(() -> " -> " + isCharged);
        if (isCharged != model.isByCost(request)) {
            throw new Violation("charge said " + isCharged);
        }
        model.charged();
        twin.charge(request);
        giveUpTwinIfEvicting();
    }

    private void releaseAll() {
        held.releaseAll();
        model.inFlight().check(subject, steps);
    }

    void pass(long nanos) {
        long left = nanos;
        for (int slices = inForce().moves() ? SLICES : 1; slices > 0; slices--) {
            long slice = left / slices;
            left -= slice;
            time.advance(slice);
            catchUp();
        }
    }

    /** The model follows the clock. */
    void catchUp() {
        long passed = time.read() - modelled;
        modelled = time.read();
        model.pass(passed);
    }

    private void back(long nanos) {
        time.jumpTo(time.read() - nanos);
        modelled = time.read();
        wentBack = true;
    }

    private Composition composition(int which) {
        return history.compositions().get(which % history.compositions().size());
    }

    private void change(Composition next) {
        log.add(() -> " -> " + next.spec());
        giveUpTwinIfEvicting();
        model.change(next);
        subject.change(next);
        twin.reconfigure(next);
        model.readMoved();
    }

    private void dial(long limit) {
        giveUpTwinIfEvicting();
        model.setLimit(limit);
        engine().dial().setLimit(limit);
        twin.setLimit(limit);
        model.readMoved();
    }

    /* Of an evicted key, a change carries what was used, not the state of the algorithm. */
    private void giveUpTwinIfEvicting() {
        if (history.compositions().stream().anyMatch(Composition::evicts)) {
            twin.giveUp();
        }
    }

    /* Compares the limiter, with nothing in flight, with limits that were drained just now. */
    private void probe(Request request, int seed) {
        releaseAll();
        if (wentBack || model.needsKey(request)) {
            return;
        }
        model.readMoved();
        Probe probe = new Probe(this, request);
        if (inForce().motion() == Motion.RISES_AND_FALLS || model.isCharged()) {
            probe.waitUntilGranted();
        } else {
            probe.compare(new DrainedLimits(inForce().parts(), limits().all(), time), seed);
        }
    }

    /** Asks; what is granted is released at once. */
    boolean isGranted(Request request) {
        boolean granted = ask(request, false) instanceof Permit;
        if (granted) {
            held.releaseLast();
            steps++;
        }
        return granted;
    }

    /** The wait of the last rejection, in nanoseconds. */
    long lastWait() {
        return lastWait;
    }

    long now() {
        return time.read();
    }

    ExecutionLog log() {
        return log;
    }

    Composition inForce() {
        return model.inForce();
    }

    LimitModel model() {
        return model;
    }

    LimitsInForce limits() {
        return model.limits();
    }
}
