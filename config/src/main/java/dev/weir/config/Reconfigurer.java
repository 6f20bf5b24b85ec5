package dev.weir.config;

import dev.weir.config.document.ChecksumLine;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentProof;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.DocumentTree;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ValueStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The decision on each reading of one source: put in force, held or refused, and reported once. Called by one thread at a time.
 */
final class Reconfigurer {
    private static final String VALUES = "values.";

    private final String source;
    private final String instance;
    private final DocumentReader reader;
    private final LimitTables limits;
    private final ValueStore values;
    private final Listener listener;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private String origin;
    private Map<String, String> valuesInForce = Map.of();
    private @Nullable String decided;
    private @Nullable InstanceStatus running;
    private @Nullable Rejected lastRejected;
    private volatile @Nullable InForce inForce;

    /**
     * The document in force.
     *
     * @param number the version that the document states; 0 = none
     * @param proven whether it was known to be whole
     */
    record InForce(String digest, String version, long number, boolean sealed, boolean proven, Reading reading) {
        boolean isSameAs(Reading other, String otherDigest) {
            return digest.equals(otherDigest) && reading.format() == other.format();
        }

        /** The same document, found again. */
        InForce foundAs(Reading other) {
            return new InForce(
                    digest,
                    version,
                    number,
                    sealed,
                    proven || other.isWhole(),
                    other.revision() >= reading.revision() ? other : reading);
        }
    }

    /**
     * A document that was refused or held, and the problems: a document may be read again in another state, for the same reason.
     */
    private record Rejected(String digest, Format format, List<Problem> problems) {}

    /** A listener to each decision. */
    interface Listener {
        void decided(ConfigEvent event, InstanceStatus status);

        /** A document is in force, in all its parts if it is faultless; it should be kept for a restart. */
        void accepted(InForce document, boolean faultless);

        /** The source has the document that is in force, again or still. */
        void confirmed(InstanceStatus status);
    }

    Reconfigurer(
            String source,
            String instance,
            DocumentReader reader,
            LimitTables limits,
            ValueStore values,
            Listener listener) {
        this.source = source;
        this.origin = source;
        this.instance = instance;
        this.reader = reader;
        this.limits = limits;
        this.values = values;
        this.listener = listener;
    }

    @Nullable
    InForce inForce() {
        return inForce;
    }

    long accepted() {
        return accepted.get();
    }

    long refused() {
        return refused.get();
    }

    /** Takes the documents that were in force before a restart, oldest first. */
    void restore(List<Reading> documents) {
        origin = "last good of " + source;
        documents.forEach(this::offer);
        origin = source;
    }

    void offer(Reading reading) {
        byte[] content = reading.content();
        String digest = reading.isAbsent() ? "absent" : ChecksumLine.digest(content);
        InForce present = inForce;
        String decision = digest + reading.format() + reading.isWhole() + reading.revision();
        if (decision.equals(decided)) {
            return;
        }
        decided = decision;
        if (present != null && present.isSameAs(reading, digest)) {
            confirm(present, present.foundAs(reading));
            return;
        }
        if (reading.isAbsent()) {
            refuse(reading, digest, "", false, List.of(problem("is missing at the source")));
            return;
        }
        if (content.length == 0) {
            // Its writer may have only begun.
            refuse(reading, digest, "", !reading.isWhole(), List.of(problem("must not be empty")));
            return;
        }
        LimitsDocument document;
        try {
            ToDoubleFunction<String> place = limiter -> InstanceShare.of(instance, limiter);
            DocumentTree tree = reading.tree().orElse(null);
            document = tree == null
                    ? reader.read(source, content, reading.format(), place)
                    : reader.read(source, tree, place);
        } catch (DocumentException e) {
            refuse(reading, digest, "", false, e.problems());
            return;
        } catch (Throwable t) {
            refuse(
                    reading,
                    digest,
                    "",
                    false,
                    List.of(problem("cannot be read: " + t.getClass().getName())));
            return;
        }
        decide(reading, digest, document);
    }

    private void confirm(InForce before, InForce now) {
        inForce = now;
        lastRejected = null;
        if (now.proven && !before.proven) {
            listener.accepted(now, running != null && running.errors().isEmpty());
        }
        InstanceStatus status = running;
        if (status != null) {
            listener.confirmed(status);
        }
    }

    private void decide(Reading reading, String digest, LimitsDocument document) {
        LimitsDocument.Header header = document.header();
        String version = header.version() > 0
                ? Long.toString(header.version())
                : reading.revision() >= 0 ? "r" + reading.revision() : digest.substring(0, 12);
        DocumentProof proof = document.proof();
        InForce present = inForce;
        String rule = rule(reading, header, proof, present);
        boolean held = false;
        if (rule == null && present != null) {
            rule = heldBy(reading, header, proof);
            held = rule != null;
        }
        if (rule != null) {
            refuse(reading, digest, version, held, List.of(problem(rule)));
            return;
        }
        InForce next = new InForce(
                digest,
                version,
                header.version(),
                proof == DocumentProof.CHECKSUM,
                reading.isWhole() || proof != DocumentProof.NONE,
                reading);
        accept(next, document);
    }

    private static @Nullable String rule(
            Reading reading, LimitsDocument.Header header, DocumentProof proof, @Nullable InForce present) {
        if (proof == DocumentProof.WRONG_CHECKSUM) {
            return "has a checksum that is not its own: it is damaged, or was edited without renewing it";
        }
        if (present == null) {
            return null;
        }
        if (present.sealed && proof != DocumentProof.CHECKSUM) {
            return "must end with a checksum, as the document in force does";
        }
        if (present.number > 0 && !isNext(header, present)) {
            return header.version() == present.number
                    ? "must have a higher version than " + present.number + ", because it says something else"
                    : "must have a higher version than " + present.number + ", was " + header.version();
        }
        if (header.version() == 0 && reading.revision() >= 0 && reading.revision() < present.reading.revision()) {
            return "must be newer than revision " + present.reading.revision() + ", was " + reading.revision();
        }
        return null;
    }

    /** Whether the version is higher, or the same where what is in force may be only the beginning of it. */
    private static boolean isNext(LimitsDocument.Header header, InForce present) {
        return header.version() > present.number || (header.version() == present.number && !present.proven);
    }

    private @Nullable String heldBy(Reading reading, LimitsDocument.Header header, DocumentProof proof) {
        if (!reading.isWhole() && proof == DocumentProof.NONE) {
            return "is held until it is known to be whole";
        }
        return InstanceShare.of(instance, "") < header.percent()
                ? null
                : "is held: it is for " + header.percent() + " % of the instances so far";
    }

    private void accept(InForce next, LimitsDocument document) {
        List<Problem> problems = new ArrayList<>(document.problems());
        Map<String, LimitPlan> plans = limits.buildable(source, document, problems);
        List<ConfigEvent.Difference> differences = new ArrayList<>(limits.apply(source, plans, document, problems));
        Set<String> unreadable = unreadableValues(document);
        valuesInForce = withFaulty(document, unreadable);
        values.apply(valuesInForce, unreadable, source, problems::add).stream()
                .map(Reconfigurer::difference)
                .forEach(differences::add);
        inForce = next;
        lastRejected = null;
        accepted.getAndIncrement();
        listener.accepted(next, problems.isEmpty());
        LimitsDocument.Header header = document.header();
        InstanceStatus status = status(next.version, InstanceStatus.Result.ACCEPTED, problems);
        running = status;
        listener.decided(
                new ConfigEvent.Changed(origin, next.version, header.author(), header.reason(), differences, problems),
                status);
    }

    /* Values may be secrets. */
    private static ConfigEvent.Difference difference(ValueStore.Change change) {
        return new ConfigEvent.Difference(
                "", VALUES + change.key(), change.wasPresent() ? "(hidden)" : "", change.isPresent() ? "(hidden)" : "");
    }

    /** The values of a document and, of those that are wrong in it, the last good ones. */
    private Map<String, String> withFaulty(LimitsDocument document, Set<String> unreadable) {
        Map<String, String> all = new HashMap<>(document.values());
        unreadable.forEach(key -> valuesInForce.forEach((old, text) -> {
            if (old.equals(key) || old.startsWith(key + ".") || old.startsWith(key + "[")) {
                all.put(old, text);
            }
        }));
        return all;
    }

    private static Set<String> unreadableValues(LimitsDocument document) {
        return document.problems().stream()
                .map(Problem::field)
                .filter(field -> field.startsWith(VALUES))
                .map(field -> field.substring(VALUES.length()))
                .collect(Collectors.toSet());
    }

    private void refuse(Reading reading, String digest, String version, boolean held, List<Problem> problems) {
        Rejected rejected = new Rejected(digest, reading.format(), problems);
        if (rejected.equals(lastRejected)) {
            return;
        }
        lastRejected = rejected;
        if (!held) {
            refused.getAndIncrement();
        }
        listener.decided(
                new ConfigEvent.Refused(origin, version, held, problems),
                status(version, held ? InstanceStatus.Result.HELD : InstanceStatus.Result.REJECTED, problems));
    }

    private InstanceStatus status(String version, InstanceStatus.Result result, List<Problem> problems) {
        return new InstanceStatus(
                instance,
                version,
                result,
                problems.stream().map(Problem::toString).toList());
    }

    private Problem problem(String rule) {
        return new Problem(source, 0, 0, "", "the document", rule, "");
    }
}
