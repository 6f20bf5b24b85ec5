package dev.weir.config.entry;

import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.Patch;
import dev.weir.config.document.Problem;
import dev.weir.config.entry.ChangeLog.Cause;
import dev.weir.config.entry.WantedSettings.Declared;
import dev.weir.config.entry.WantedSettings.Hand;
import dev.weir.config.status.LimitChange.Writer;
import dev.weir.config.status.LimitOverride;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** The patches that are put over the settings of a registry by hand. Thread-safe. */
public final class OverrideWriter {
    private static final String SOURCE = WantedSettings.BY_HAND;

    private final DocumentReader reader;
    private final NameTable table;
    private final Environment environment;

    public OverrideWriter(DocumentReader reader, NameTable table, Environment environment) {
        this.reader = reader;
        this.table = table;
        this.environment = environment;
    }

    public Registration put(NamedEntry entry, String fields, Duration duration, String who, String why) {
        Objects.requireNonNull(fields, "entry");
        if (Objects.requireNonNull(duration, "duration").isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("duration must be > 0, was " + duration);
        }
        Patch patch = patch(fields);
        Instant now = environment.clock().instant();
        LimitOverride given =
                LimitOverride.of(patch.settings(), notBlank("who", who), notBlank("why", why), now, now.plus(duration));
        Cause cause = new Cause(Writer.OVERRIDE, "", who, why + ", until " + given.until());
        List<String> failures = entry.change(cause, before -> {
            if (before.closed()) {
                throw new IllegalStateException("the registry is closed");
            }
            return before.with(Hand.of(given, below -> over(entry.name(), below, patch), before));
        });
        if (!failures.isEmpty() && !Hand.isOf(given, entry.target().override())) {
            throw new IllegalArgumentException("settings cannot be put in force: " + failures);
        }
        Registration atItsEnd = environment.alarm().ring(nanos(duration), () -> end(entry, given));
        return () -> {
            atItsEnd.close();
            end(entry, given);
        };
    }

    private void end(NamedEntry entry, LimitOverride given) {
        List<String> failures = entry.change(
                new Cause(Writer.OVERRIDE, "", given.who(), "ended: " + given.why()),
                before -> Hand.isOf(given, before.override()) ? before.with((Hand) null) : before);
        if (!failures.isEmpty()) {
            environment.refused(SOURCE, entry.name(), "cannot be put in force after an override: " + failures);
        }
    }

    /* What the patch makes of the settings below it. */
    private LimitPlan over(String name, WantedSettings below, Patch patch) {
        LimitPlan base = below.below();
        Declared code = below.declared();
        if (code != null && base == code.plan()) {
            checkWhole(patch, "key", base.isKeyed() || code.setup() != null);
            checkWhole(patch, "scope", code.setup() != null);
        }
        LimitPlan plan;
        try {
            plan = patch.over(name, base);
        } catch (DocumentException e) {
            throw wrong(e.problems());
        }
        List<Problem> problems = table.unbuildable(SOURCE, plan);
        if (!problems.isEmpty()) {
            throw wrong(problems);
        }
        table.checkCaps(below.caps(), plan);
        return plan;
    }

    /* The default of the code has no fields that would stay. */
    private static void checkWhole(Patch patch, String field, boolean isNeeded) {
        if (isNeeded && !patch.has(field)) {
            throw new IllegalArgumentException(
                    "entry must have " + field + ", because it replaces the whole default of the code, which has one");
        }
    }

    private Patch patch(String fields) {
        try {
            return Patch.of(reader, SOURCE, fields);
        } catch (DocumentException e) {
            throw wrong(e.problems());
        }
    }

    private static IllegalArgumentException wrong(List<Problem> problems) {
        return new IllegalArgumentException("entry must be fields of a limit: " + problems);
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    private static String notBlank(String name, String text) {
        if (Objects.requireNonNull(text, name).isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank");
        }
        return text;
    }
}
