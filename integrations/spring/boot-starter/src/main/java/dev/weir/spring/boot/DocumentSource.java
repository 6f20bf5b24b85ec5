package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.FileSource;
import dev.weir.spring.boot.ConfigurationFailure.Fault;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The one source that the document comes from: a bean, the file of {@code weir.source.file}, or else the environment, which is read
 * again when Spring Cloud says that it has changed.
 */
final class DocumentSource implements SmartApplicationListener {
    /* Its class is not needed: nothing of it is read. */
    private static final String CHANGED = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private final ConfigSource source;

    private DocumentSource(ConfigSource source) {
        this.source = source;
    }

    /** The source. Throws if the environment has a document, or a file is given, beside another source. */
    static DocumentSource of(
            @Nullable ConfigSource bean, SourceProperties properties, ConfigurableEnvironment environment) {
        if (bean == null && properties.file() == null) {
            return new DocumentSource(EnvironmentSource.of(environment));
        }
        if (bean != null && properties.file() != null) {
            throw new ConfigurationFailure(
                    "weir.source.file", "must not be given beside a bean that is a ConfigSource; remove one of them");
        }
        ConfigSource source = bean == null ? file(properties) : bean;
        check(environment, source.name());
        return new DocumentSource(source);
    }

    private static FileSource file(SourceProperties properties) {
        try {
            Path file = Path.of(String.valueOf(properties.file()));
            return properties.readEvery() == null ? FileSource.of(file) : FileSource.of(file, properties.readEvery());
        } catch (IllegalArgumentException e) {
            throw new ConfigurationFailure("weir.source.file", String.valueOf(e.getMessage()));
        }
    }

    /** Throws if the environment has a document, which is not read because this source is. */
    static void check(ConfigurableEnvironment environment, String source) {
        List<Fault> unused = new EnvironmentReader(environment, new YamlTexts()).unused(source);
        if (!unused.isEmpty()) {
            throw new ConfigurationFailure(unused);
        }
    }

    /** A registry of this document. Throws if the first document has problems. */
    LimiterRegistry registry(LimiterRegistry.Builder builder, SourceProperties properties) {
        boolean isOurs = source instanceof EnvironmentSource;
        if (!isOurs && properties.failOnProblems()) {
            builder.failOnProblems();
        }
        LimiterRegistry built;
        try {
            built = builder.source(source).build();
        } catch (IllegalStateException problems) {
            throw new ConfigurationFailure(List.of(new Fault(
                    "weir.source", source.name(), problems.getMessage() + "\n; mend the document, or its source")));
        }
        List<Fault> faults = built.status().problems().stream().map(Fault::of).toList();
        if (isOurs && !faults.isEmpty()) {
            built.close();
            throw new ConfigurationFailure(faults);
        }
        return built;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return type.getName().equals(CHANGED);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (source instanceof EnvironmentSource environment) {
            environment.changed();
        }
    }
}
