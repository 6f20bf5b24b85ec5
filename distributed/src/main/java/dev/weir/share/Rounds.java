package dev.weir.share;

import dev.weir.Ticker;
import dev.weir.share.ShareRegistry.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The agreement of one instance with the others about its share of a quota, in rounds. Each round reads the registry, and changes
 * the instance's row if that is not its target.
 */
final class Rounds {
    /*
     * What is enforced is lowered before the row, and raised after it:
     *
     *     this instance                  ledger                     another instance
     *                                    a 60, b 40 of 100
     *     target 50: enforces 50
     *     replace a 50                   a 50, b 40
     *                                                               told; target 50, room 10
     *                                    a 50, b 50                 replace b 50
     *                                                               enforces 50
     *
     * It is raised only after a replacement that succeeded: a replacement whose reply was lost cannot be made any more once
     * the version has changed. The time of the share is extended only by a renewal that was followed by a reading which has
     * this instance as a member. So if others do not see it as a member, its time is over by its own ticker.
     */
    static final long INTERVAL = Duration.ofMillis(100).toNanos();

    private static final long SPREAD = INTERVAL * 3 / 20;
    private static final long SHORTEST_EPOCH = Duration.ofSeconds(10).toNanos();
    private static final int MARGIN = 10;
    private static final int MOST_TRIES = 100;

    private final ShareRegistry registry;
    private final ShareTerms terms;
    private final Ticker ticker;
    private final Enforcement enforcement;
    private final SplittableRandom random;
    private final Overdue overdue;
    /* The other fields belong to the round. Read after each reading, so a row cannot return after leave. */
    private volatile boolean closed;
    private volatile ShareStatus status;

    /* Confined to the rounds, which run one at a time. */
    private boolean isRenewed;
    private long renewedAt;
    private long lease = INTERVAL * 30;
    private long until;
    private long epoch = -1;
    private long epochSince;
    private long twinsMarkedIn = -1;
    private int failuresInARow;
    private boolean isOutrun;
    private long rounds;
    private long conflicts;
    private long failures;

    Rounds(ShareRegistry registry, ShareTerms terms, Ticker ticker, Enforcement enforcement) {
        this.registry = registry;
        this.terms = terms;
        this.ticker = ticker;
        this.enforcement = enforcement;
        this.overdue = new Overdue(ticker);
        this.random = new SplittableRandom(terms.token.hashCode());
        this.status = new ShareStatus(0, 0, 0, new Instances.Place(0, 1), true, 0, 0, 0, null, List.of());
    }

    ShareStatus status() {
        return status;
    }

    /**
     * The nanoseconds from the beginning of this round to that of the next one, at least. All are told of a change at one moment: if all
     * waited for the same time, the replacement of one could come too late again and again. One that lacks much goes first.
     */
    long interval() {
        return isOutrun ? INTERVAL : INTERVAL + random.nextLong(SPREAD);
    }

    /** One round; returns in how many nanoseconds the next one is due. */
    long run() {
        long next = tried();
        if (closed) {
            leave();
        }
        return next;
    }

    private long tried() {
        rounds++;
        isOutrun = false;
        try {
            long next = closed ? Long.MAX_VALUE / 4 : round();
            failuresInARow = 0;
            report(status, null);
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(e);
        } catch (Throwable t) {
            return failed(t);
        }
    }

    private long failed(Throwable t) {
        failures++;
        report(status, t);
        long longest = Math.max(2 * INTERVAL, lease / 3);
        long pause = Math.min(longest, INTERVAL << Math.min(20, failuresInARow++));
        return pause / 2 + random.nextLong(pause);
    }

    private long round() throws Exception {
        enforcement.retry();
        renew();
        View view = registry.read(terms.entry);
        if (!view.members().contains(registry.instance())) {
            isRenewed = false;
            enforcement.lost();
            throw new IllegalStateException("instance " + registry.instance() + " is no member");
        }
        LedgerParser.Parsed parsed = LedgerParser.parse(view.value());
        Row row = parsed.ledger().row(registry.instance(), terms.token);
        if (row != null) {
            enforcement.lower(row.granted());
            enforcement.extend(until);
        } else if (parsed.ledger().isNew()) {
            enforcement.fence();
        } else {
            enforcement.lower(0);
        }
        Plan plan = plan(parsed.ledger(), row != null, view);
        report(plan, problems(parsed, plan));
        return carryOut(plan, view);
    }

    private void renew() throws Exception {
        long now = ticker.read();
        if (isRenewed && now - renewedAt < lease / 3 && !enforcement.wanted().fenced()) {
            return;
        }
        isRenewed = false;
        lease = Math.max(1, registry.renew().toNanos());
        isRenewed = true;
        renewedAt = now;
        until = now + lease - lease / MARGIN;
        terms.measureDemand();
    }

    private Plan plan(Ledger ledger, boolean hasRow, View view) {
        long length = Math.max(SHORTEST_EPOCH, 2 * lease);
        long now = ticker.read();
        if (ledger.epoch() != epoch || !hasRow) {
            epoch = ledger.epoch();
            epochSince = now;
        }
        long forgetAfter = 1 + terms.forgetNanos / length;
        Row mine =
                terms.row(registry.instance()).withGranted(enforcement.wanted().share());
        Plan plan = Plan.of(ledger, view.members(), mine, forgetAfter, epoch != twinsMarkedIn, overdue);
        long due = (ledger.isNew() ? lease : length) + random.nextLong(1 + lease / 4);
        boolean isDue = plan.waits() && now - epochSince >= due;
        return isDue ? plan.inNextEpoch() : plan;
    }

    private long carryOut(Plan plan, View view) throws Exception {
        String text = plan.ledger().text();
        Setting now = enforcement.wanted();
        boolean isSettled = now.share() == plan.granted() && !now.fenced();
        if (isSettled && text.equals(view.value())) {
            return untilRenewal(plan);
        }
        if (!enforcement.lower(plan.granted()) || closed) {
            return INTERVAL;
        }
        if (!registry.replace(terms.entry, view.version(), text)) {
            conflicts++;
            isOutrun = plan.target() / 2 > now.share();
            return INTERVAL;
        }
        twinsMarkedIn = plan.isIdShared() ? epoch : twinsMarkedIn;
        enforcement.grant(plan.granted(), until);
        return untilRenewal(plan);
    }

    private long untilRenewal(Plan plan) {
        long renewal = Math.max(INTERVAL, renewedAt + lease / 3 - ticker.read());
        renewal = overdue.isPending() ? Math.min(renewal, Overdue.AFTER) : renewal;
        return plan.waits() ? Math.min(renewal, SHORTEST_EPOCH) : renewal;
    }

    /**
     * Ends the rounds, and removes the row of this instance if the target enforces 0. Gives up if the registry cannot be reached. Is
     * called again after whatever may have set the target or written the row meanwhile.
     */
    void leave() {
        closed = true;
        try {
            for (int tries = 0; enforcement.isEnded() && tries < MOST_TRIES && !isRowRemoved(); tries++) {
                conflicts++;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception unreachable) {
            report(status, unreachable);
        }
    }

    private boolean isRowRemoved() throws Exception {
        View view = registry.read(terms.entry);
        Ledger ledger = LedgerParser.parse(view.value()).ledger();
        List<Row> others = new ArrayList<>(ledger.rows());
        boolean had = others.removeIf(row -> row.isOf(registry.instance(), terms.token));
        return !had || registry.replace(terms.entry, view.version(), new Ledger(ledger.epoch(), others).text());
    }

    private List<String> problems(LedgerParser.Parsed parsed, Plan plan) {
        List<String> problems = new ArrayList<>(parsed.problems());
        if (plan.isIdShared()) {
            problems.add("another instance has the id " + registry.instance());
        }
        if (terms.demandFailure() != null) {
            problems.add("the demand was not told: " + terms.demandFailure());
        }
        if (plan.quota() != terms.quota()) {
            problems.add("another instance has the quota " + plan.quota() + ", here it is " + terms.quota());
        }
        return problems;
    }

    private void report(Plan plan, List<String> problems) {
        Instances.Place place = new Instances.Place(plan.index(), plan.live());
        report(
                new ShareStatus(0, plan.target(), plan.quota(), place, false, 0, 0, 0, null, List.copyOf(problems)),
                null);
    }

    private void report(ShareStatus last, @Nullable Throwable failure) {
        status = new ShareStatus(
                0,
                last.target(),
                last.quota(),
                last.place(),
                false,
                rounds,
                conflicts,
                failures,
                failure,
                last.problems());
    }
}
