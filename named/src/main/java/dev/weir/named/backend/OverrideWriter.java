package dev.weir.named.backend;

import dev.weir.internal.Require;
import dev.weir.named.backend.ChangeLog.Cause;
import dev.weir.named.backend.WantedSettings.Declared;
import dev.weir.named.backend.WantedSettings.Hand;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.PlanPatch;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.spi.Registration;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The patches that are put over the settings of a registry by hand. Thread-safe. */
public final class OverrideWriter {
    private final NameTable table;
    private final Environment environment;

    public OverrideWriter(NameTable table) {
        this.table = table;
        environment = table.environment();
    }

    /** Puts a patch over the settings of a name, if these have this revision; null = any. */
    public Registration put(
            NamedEntry entry, PlanPatch patch, Duration duration, String who, String why, @Nullable Long ifRevision) {
        boolean isLong = Objects.requireNonNull(duration, "duration").compareTo(Duration.ZERO) > 0;
        Require.that(isLong, "duration must be > 0", duration);
        Instant now = environment.clock().instant();
        notBlank("who", who);
        notBlank("why", why);
        LimitOverride given =
                new LimitOverride(patch.settings(), who, why, now, until(now, duration), List.of(), false, "");
        Cause cause = new Cause(Writer.OVERRIDE, "", who, why + ", until " + given.until());
        List<String> failures = entry.change(cause, before -> {
            if (before.closed()) {
                throw new IllegalStateException("the registry is closed");
            }
            if (ifRevision != null && ifRevision != before.revision()) {
                throw new RevisionChangedException(entry.name(), ifRevision, before.revision());
            }
            return before.with(Hand.of(given, below -> over(entry.name(), below, patch), before));
        });
        if (!failures.isEmpty() && !Hand.isOf(given, entry.target().override())) {
            throw new IllegalArgumentException("settings cannot be put in force: " + failures);
        }
        Registration atItsEnd;
        try {
            // A change may take long, and the alarm has one thread for all.
            atItsEnd = environment
                    .alarm()
                    .ring(TimeUnit.NANOSECONDS.convert(duration), () -> environment.aside(() -> end(entry, given)));
        } catch (Throwable noAlarm) {
            end(entry, given);
            throw noAlarm;
        }
        return () -> {
            atItsEnd.close();
            end(entry, given);
        };
    }

    /** The settings of a name in force, and those that a patch over the ones below an override would make. */
    public record Planned(LimitPlan now, LimitPlan then) {}

    /** The plan that {@link #put} would put in force; throws as that does, and if this process does not count the limit now. */
    public Planned planned(NamedEntry entry, PlanPatch patch) {
        WantedSettings target = entry.target();
        LimitPlan now = target.plan();
        if (now == null || !(entry.inForce().backend() instanceof Backend.Local)) {
            throw new IllegalStateException("limit " + entry.name() + " must be counted in this process");
        }
        LimitPlan then = over(entry.name(), target, patch);
        return new Planned(target.caps().within(now), target.caps().within(then));
    }

    private void end(NamedEntry entry, LimitOverride given) {
        List<String> failures = entry.change(
                new Cause(Writer.OVERRIDE, "", given.who(), "ended: " + given.why()),
                before -> Hand.isOf(given, before.override()) ? before.with((Hand) null) : before);
        if (!failures.isEmpty()) {
            environment.refused(
                    WantedSettings.BY_HAND, entry.name(), "cannot be put in force after an override: " + failures);
        }
    }

    /* What the patch makes of the settings below it. */
    private LimitPlan over(String name, WantedSettings below, PlanPatch patch) {
        LimitPlan base = below.below();
        Declared code = below.declared();
        if (code != null && base == code.plan()) {
            checkWhole(patch, "key", base.isKeyed() || code.setup() != null);
            checkWhole(patch, "scope", code.setup() != null);
        }
        LimitPlan plan = patch.over(name, base);
        List<Problem> problems = table.unbuildable(WantedSettings.BY_HAND, plan);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("entry must be fields of a limit: " + problems);
        }
        table.checkCaps(below.caps(), plan);
        return plan;
    }

    /* The default of the code has no fields that would stay. */
    private static void checkWhole(PlanPatch patch, String field, boolean isNeeded) {
        if (isNeeded
                && patch.settings().keySet().stream().noneMatch(path -> path.split("[.\\[]", 2)[0].equals(field))) {
            throw new IllegalArgumentException(
                    "entry must have " + field + ", because it replaces the whole default of the code, which has one");
        }
    }

    private static Instant until(Instant now, Duration duration) {
        try {
            return now.plus(duration);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("duration must end before " + Instant.MAX + ", was " + duration, e);
        }
    }

    private static void notBlank(String name, String text) {
        if (Objects.requireNonNull(text, name).isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank");
        }
    }
}
