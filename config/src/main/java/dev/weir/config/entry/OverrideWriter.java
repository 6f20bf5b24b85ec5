package dev.weir.config.entry;

import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import dev.weir.config.entry.ChangeLog.Cause;
import dev.weir.config.status.ConfigEvent;
import dev.weir.config.status.LimitChange.Writer;
import dev.weir.config.status.LimitOverride;
import dev.weir.spi.Registration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** The settings of a registry that are put in force by hand. Thread-safe. */
public final class OverrideWriter {
    private static final String SOURCE = "override";

    private final DocumentReader reader;
    private final NameTable table;
    private final Environment environment;

    public OverrideWriter(DocumentReader reader, NameTable table, Environment environment) {
        this.reader = reader;
        this.table = table;
        this.environment = environment;
    }

    public Registration put(NamedEntry entry, String settings, Duration duration, String who, String why) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("duration must be > 0, was " + duration);
        }
        LimitPlan plan = plan(entry.name(), settings);
        Instant now = environment.clock().instant();
        LimitOverride override =
                new LimitOverride(plan, notBlank("who", who), notBlank("why", why), now, now.plus(duration));
        List<String> failures = new ArrayList<>();
        failures.addAll(
                entry.change(new Cause(Writer.OVERRIDE, "", who, why + ", until " + override.until()), before -> {
                    if (before.closed()) {
                        throw new IllegalStateException("the registry is closed");
                    }
                    table.checkCaps(before.caps(), plan);
                    return before.with(override);
                }));
        if (entry.target().override() != override) {
            throw new IllegalArgumentException("settings cannot be put in force: " + failures);
        }
        environment.events().tell(new ConfigEvent.Overridden(SOURCE, entry.name(), override, false));
        AtomicBoolean ended = new AtomicBoolean();
        Registration atItsEnd = environment.alarm().ring(nanos(duration), () -> end(entry, override, ended));
        return () -> {
            atItsEnd.close();
            end(entry, override, ended);
        };
    }

    private void end(NamedEntry entry, LimitOverride override, AtomicBoolean ended) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        boolean[] isMine = new boolean[1];
        List<String> failures =
                entry.change(new Cause(Writer.OVERRIDE, "", override.who(), "ended: " + override.why()), before -> {
                    isMine[0] = before.override() == override;
                    return isMine[0] ? before.with((LimitOverride) null) : before;
                });
        if (isMine[0]) {
            environment.events().tell(new ConfigEvent.Overridden(SOURCE, entry.name(), override, true));
        }
        if (!failures.isEmpty()) {
            String rule = "cannot be put in force after an override: " + failures;
            Problem problem = new Problem(SOURCE, 0, 0, entry.name(), "", rule, "");
            environment.events().tell(new ConfigEvent.Refused(SOURCE, "", false, List.of(problem)));
        }
    }

    private LimitPlan plan(String name, String settings) {
        String document = "limits:\n  \"" + name + "\":\n" + indented(settings);
        try {
            LimitsDocument read = reader.read(SOURCE, document.getBytes(StandardCharsets.UTF_8), Format.YAML);
            LimitPlan plan = read.limits().get(name);
            if (plan != null && read.problems().isEmpty() && read.limits().size() == 1) {
                List<Problem> problems = table.unbuildable(SOURCE, plan);
                if (problems.isEmpty()) {
                    return plan;
                }
                throw wrong(problems);
            }
            throw wrong(read.problems());
        } catch (DocumentException e) {
            throw wrong(e.problems());
        }
    }

    private static String indented(String settings) {
        return settings.lines().map(line -> "    " + line + "\n").reduce("", String::concat);
    }

    private static IllegalArgumentException wrong(List<Problem> problems) {
        return new IllegalArgumentException("entry must be the settings of a limit: " + problems);
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
