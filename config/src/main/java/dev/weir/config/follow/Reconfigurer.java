package dev.weir.config.follow;

import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.DocumentTree;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.follow.Offered.InForce;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ValueStore;
import dev.weir.named.backend.Environment;
import dev.weir.named.backend.NameTable;
import dev.weir.named.backend.NameTable.Plans;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The decision on each reading of one source: put in force, held or refused, and reported once. {@link #offer} is called by one
 * thread at a time.
 */
final class Reconfigurer {
    /** The number of documents that are remembered, so that sources that answer in turn are reported once. */
    private static final int REMEMBERED = 8;

    /* Below that of every instance: what was in force here before a restart is for this instance. */
    private static final double FIRST = -1;

    private final String source;
    private final InstanceName instance;
    private final DocumentReader reader;
    private final NameTable limits;
    private final ValueStore values;
    private final Environment environment;
    private final Consumer<InstanceStatus> decisions;
    /*
     * Told of each document in force, and whether it is faultless: then it is kept for a restart alone; else those before it are
     * needed, too.
     */
    private final BiConsumer<InForce, Boolean> acceptances;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final Deque<Report> reported = new ArrayDeque<>();
    private boolean restoring;
    private final AtomicReference<@Nullable String> approved = new AtomicReference<>();
    private volatile @Nullable InForce inForce;
    private volatile @Nullable InstanceStatus row;
    private volatile List<Problem> problems = List.of();

    /** A document that was refused or held, and the problems: it may be read again in another state, for the same reason. */
    private record Report(String key, List<Problem> problems) {}

    Reconfigurer(
            String source,
            InstanceName instance,
            DocumentReader reader,
            NameTable limits,
            ValueStore values,
            Consumer<InstanceStatus> decisions,
            BiConsumer<InForce, Boolean> acceptances) {
        this.source = source;
        this.instance = instance;
        this.reader = reader;
        this.limits = limits;
        this.values = values;
        environment = limits.environment();
        this.decisions = decisions;
        this.acceptances = acceptances;
    }

    @Nullable
    InForce inForce() {
        return inForce;
    }

    /** The status of this instance: what it runs, and its answer to the last reading; null before the first. */
    @Nullable
    InstanceStatus row() {
        return row;
    }

    List<Problem> problems() {
        return problems;
    }

    long accepted() {
        return accepted.get();
    }

    long refused() {
        return refused.get();
    }

    /** Takes the documents that were in force before a restart, oldest first. */
    void restore(List<Reading> documents) {
        restoring = true;
        documents.forEach(this::offer);
        restoring = false;
    }

    /**
     * Takes the document of this version, when it is offered again, whatever versions and revisions say. Throws if another one was
     * offered last.
     */
    void approve(String version) {
        InstanceStatus last = row;
        String offered = last == null ? "" : last.offered();
        if (version.isEmpty() || !version.equals(offered)) {
            throw new IllegalArgumentException(
                    "version must be \"" + offered + "\", the one that was offered last, was \"" + version + "\"");
        }
        approved.set(version);
    }

    void offer(Reading reading) {
        String wanted = approved.getAndSet(null);
        byte[] content = reading.content();
        String digest = reading.isAbsent() ? "absent" : Offered.digest(content);
        String version = Offered.version(reading, digest);
        String key = digest + reading.format();
        InForce present = inForce;
        if (present != null && present.isSameAs(reading, digest)) {
            InForce found = present.foundAs(reading);
            inForce = found;
            decided(null, found.version(), InstanceStatus.Result.ACCEPTED, found.problems());
        } else if (reading.isAbsent()) {
            refuse(key, version, false, List.of(problem("is missing at the source")));
        } else if (content.length == 0) {
            refuse(key, version, false, List.of(problem("must not be empty")));
        } else {
            try {
                decide(key, read(reading, digest), wanted);
            } catch (DocumentException e) {
                refuse(key, version, false, e.problems());
            }
        }
    }

    private Offered read(Reading reading, String digest) throws DocumentException {
        InForce present = inForce;
        boolean[] staged = new boolean[1];
        LimitsDocument document;
        try {
            ToDoubleFunction<String> place = limiter -> {
                staged[0] = true;
                return instance.place(limiter);
            };
            DocumentTree tree = reading.tree().orElse(null);
            document = tree == null
                    ? reader.read(source, reading.content(), reading.format(), place)
                    : reader.read(source, tree, place);
        } catch (DocumentException e) {
            throw e;
        } catch (Throwable t) {
            throw new DocumentException(
                    List.of(problem("cannot be read: " + t.getClass().getName())));
        }
        double percent = document.header().percent();
        return Offered.of(
                reading,
                digest,
                document,
                present == null ? Map.of() : present.offered().values(),
                staged[0] || (percent > 0 && percent < 100));
    }

    private void decide(String key, Offered next, @Nullable String wanted) {
        DocumentOrder order = new DocumentOrder(
                next,
                inForce,
                restoring ? FIRST : instance.place(""),
                restoring || next.version().equals(wanted));
        String broken = order.brokenRule();
        String held = order.held();
        if (broken == null && held.isEmpty()) {
            accept(next, order.unusual());
            return;
        }
        List<Problem> problems = new ArrayList<>(List.of(problem(broken == null ? held : broken)));
        problems.addAll(unnamed(next));
        refuse(key, next.version(), broken == null, problems);
    }

    private void accept(Offered next, String unusual) {
        LimitsDocument document = next.document();
        List<Problem> problems = new ArrayList<>(document.problems());
        List<String> orphansBefore = limits.orphans();
        LimitsDocument.Header header = document.header();
        Plans plans = new Plans(
                next.version(),
                header.author(),
                header.reason(),
                document.limits(),
                document.removed(),
                document.faulty());
        List<ConfigEvent.Difference> differences =
                new ArrayList<>(limits.apply(source, limits.buildable(source, plans, problems), plans, problems));
        values.apply(next.values(), source, problems::add).stream()
                .map(Reconfigurer::difference)
                .forEach(differences::add);
        boolean faultless = problems.isEmpty() && limits.orphans().isEmpty();
        if (!unusual.isEmpty()) {
            problems.add(problem(unusual));
        }
        problems.addAll(unnamed(next));
        InForce now = new InForce(
                next,
                next.version(),
                List.copyOf(problems),
                environment.clock().instant(),
                environment.ticker().read());
        inForce = now;
        reported.clear();
        accepted.getAndIncrement();
        acceptances.accept(now, faultless);
        String origin = restoring ? "last good of " + source : source;
        decided(
                new ConfigEvent.Changed(origin, now.version(), header.author(), header.reason(), differences, problems),
                now.version(),
                InstanceStatus.Result.ACCEPTED,
                problems);
        List<String> orphans = limits.orphans();
        if (!orphans.isEmpty() && !orphans.equals(orphansBefore)) {
            environment.events().tell(new ConfigEvent.Orphaned(origin, now.version(), orphans));
        }
    }

    private List<Problem> unnamed(Offered document) {
        return instance.survives() || !document.staged()
                ? List.of()
                : List.of(problem("is for a part of the instances, and this one has no name that survives restarts; "
                        + "give it one by LimiterRegistry.Builder.instance"));
    }

    /* Values may be secrets. */
    private static ConfigEvent.Difference difference(ValueStore.Change change) {
        return new ConfigEvent.Difference(
                "",
                Offered.VALUES + change.key(),
                change.wasPresent() ? "(hidden)" : "",
                change.isPresent() ? "(hidden)" : "");
    }

    private void refuse(String key, String version, boolean held, List<Problem> problems) {
        InstanceStatus.Result result = held ? InstanceStatus.Result.HELD : InstanceStatus.Result.REJECTED;
        Report report = new Report(key, problems);
        boolean isKnown = reported.contains(report);
        reported.removeIf(old -> old.key.equals(key));
        reported.addLast(report);
        if (reported.size() > REMEMBERED) {
            reported.removeFirst();
        }
        if (!held && !isKnown) {
            refused.getAndIncrement();
        }
        String origin = restoring ? "last good of " + source : source;
        decided(isKnown ? null : new ConfigEvent.Refused(origin, version, held, problems), version, result, problems);
    }

    private void decided(
            @Nullable ConfigEvent event, String offered, InstanceStatus.Result result, List<Problem> found) {
        InForce running = inForce;
        InstanceStatus now = new InstanceStatus(
                instance.text(),
                running == null ? "" : running.version(),
                offered,
                result,
                found.stream().map(Problem::toString).toList(),
                running == null ? Instant.EPOCH : running.since());
        problems = List.copyOf(found);
        row = now;
        if (event != null) {
            environment.events().tell(event);
        }
        decisions.accept(now);
    }

    private Problem problem(String rule) {
        return new Problem(source, 0, 0, "", "the document", rule, "");
    }
}
