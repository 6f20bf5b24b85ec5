package dev.weir.spring.boot;

import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * A document in the environment of an application: the properties {@code weir.document}, {@code weir.templates}, {@code
 * weir.limits}, {@code weir.removed} and {@code weir.values}. Problems name the origin of a property, as {@code
 * application.yml:8:25}. Thread-safe; does not block but for reading a file of YAML again.
 *
 * <ul>
 *   <li>Numbers and words are read as they are written, whatever YAML makes of them: {@code 010}, {@code 1:30}, {@code no}.
 *   <li>A list comes whole from the first source of properties that has it.
 *   <li>A variable such as {@code WEIR_LIMITS_CHECKOUT_QUEUE_MAXWAIT} changes a limit that another source has, by the letters and
 *       digits of its name, and cannot make one.
 *   <li>A name with a dot is written <code>"[shop.web]"</code>.
 *   <li>Each other word under {@code weir} is a problem; of system properties and variables, which others set too, only one that is
 *       near to a known word.
 * </ul>
 */
public final class EnvironmentSource implements ConfigSource {
    static final String NAME = "environment";

    private final ConfigurableEnvironment environment;
    private final List<Runnable> watching = new CopyOnWriteArrayList<>();
    private final YamlTexts texts = new YamlTexts();

    private EnvironmentSource(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    /** The document in this environment. */
    public static EnvironmentSource of(ConfigurableEnvironment environment) {
        return new EnvironmentSource(Objects.requireNonNull(environment, "environment"));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public Reading read() {
        return Reading.of(new EnvironmentReader(environment, texts).tree());
    }

    @Override
    public void watch(Runnable changed) {
        watching.add(changed);
    }

    /** A day: the environment says when it has changed. */
    @Override
    public Duration readEvery() {
        return Duration.ofDays(1);
    }

    /** The environment may have changed: it is read again, soon and by another thread. */
    public void changed() {
        watching.forEach(Runnable::run);
    }

    @Override
    public void close() {
        watching.clear();
    }

    @Override
    public String toString() {
        return NAME;
    }
}
