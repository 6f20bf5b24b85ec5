package dev.weir.apollo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ctrip.framework.apollo.ConfigFile;
import com.ctrip.framework.apollo.ConfigFileChangeListener;
import com.ctrip.framework.apollo.ConfigService;
import com.ctrip.framework.apollo.PropertiesCompatibleConfigFile;
import com.ctrip.framework.apollo.core.enums.ConfigFileFormat;
import com.ctrip.framework.apollo.enums.ConfigSourceType;
import dev.weir.config.document.DocumentTree;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import java.io.IOException;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A document in Apollo: one namespace, read by the client of Apollo, which finds its server, application and cluster in its own
 * settings. The end of the name says the format, as in Apollo: {@code limits.yaml}, {@code limits.yml}, {@code limits.json};
 * {@code limits.txt} holds YAML that the client does not parse itself; a name without such an end is a namespace of properties,
 * as {@code application}, with {@linkplain DocumentTree#ofKeys keys} such as {@code limits.checkout.concurrency}. A released
 * namespace that holds nothing is an absent document.
 *
 * <p>The client keeps each namespace in memory, and this source reads that. So an outage is not seen once the namespace was
 * read: what was read last stays, and a change missed meanwhile is read when the client has reached the server again, which
 * it tries after 1, 2, 4 ... 120 seconds, and at the latest at its refresh, every 5 minutes by default. If the server is
 * away when the process starts, the client offers its file of an earlier run; it may be truncated, so the reading is not
 * whole. Without such a file, and if the namespace does not exist, readings fail. They have no revision; give the document a
 * version. Thread-safe.
 */
public final class ApolloSource implements ConfigSource {
    private final String namespace;
    private final String bareName;
    private final ConfigFileFormat kind;
    private final Format format;
    private final ConfigFileChangeListener listener = event -> this.changed.run();
    private volatile Runnable changed = () -> {};
    private volatile @Nullable ConfigFile file;
    /* Written before the listener is removed, read after one was made: one of the two removes it. */
    private volatile boolean closed;

    private ApolloSource(String namespace) {
        this.namespace = namespace;
        int dot = namespace.lastIndexOf('.');
        String end = namespace.substring(dot + 1);
        boolean isKind = dot > 0 && ConfigFileFormat.isValidFormat(end);
        this.bareName = isKind ? namespace.substring(0, dot) : namespace;
        this.kind = isKind ? ConfigFileFormat.fromString(end) : ConfigFileFormat.Properties;
        this.format = switch (kind) {
            case Properties -> Format.TREE;
            case JSON -> Format.JSON;
            case YAML, YML, TXT -> Format.YAML;
            case XML -> throw new IllegalArgumentException("namespace must not be XML, was \"" + namespace + "\"");
        };
    }

    /**
     * A source of the document in this namespace. Does not connect.
     *
     * @param namespace with the end of its name, as in Apollo: {@code "limits.yaml"}, {@code "application"}
     * @throws IllegalArgumentException if it is blank or of format XML
     */
    public static ApolloSource of(String namespace) {
        if (namespace.isBlank()) {
            throw new IllegalArgumentException("namespace must not be blank, was \"" + namespace + "\"");
        }
        return new ApolloSource(namespace);
    }

    @Override
    public String name() {
        return "apollo:" + namespace;
    }

    @Override
    public void watch(Runnable signal) {
        changed = Objects.requireNonNull(signal, "changed");
    }

    /*
     * The client replaces the content first and the type of its source after that, so the type is read first: content may be
     * taken for less than it is, and is read again at the change that follows.
     */
    @Override
    public Reading read() throws IOException {
        ConfigFile current = opened();
        ConfigSourceType type = current.getSourceType();
        Reading reading = reading(current);
        boolean remote = type == ConfigSourceType.REMOTE;
        if (reading == null && remote) {
            return Reading.absent();
        }
        if (reading == null || type == ConfigSourceType.NONE) {
            throw new IOException("Apollo has not answered, or has no namespace " + namespace);
        }
        return remote ? reading.whole() : reading;
    }

    private ConfigFile opened() {
        ConfigFile current = file;
        if (current == null) {
            current = ConfigService.getConfigFile(bareName, kind);
            current.addChangeListener(listener);
            file = current;
            if (closed) {
                current.removeChangeListener(listener);
            }
        }
        return current;
    }

    /* The text that the client makes of properties can be that of an earlier release, if it is asked for during a change. */
    private @Nullable Reading reading(ConfigFile file) {
        if (file.getConfigFileFormat() == ConfigFileFormat.Properties) {
            Properties properties = ((PropertiesCompatibleConfigFile) file).asProperties();
            return properties.isEmpty()
                    ? null
                    : Reading.of(DocumentTree.ofKeys(properties.stringPropertyNames().stream()
                            .collect(Collectors.toMap(Function.identity(), properties::getProperty))));
        }
        String content = file.getContent();
        return content == null || content.isEmpty() ? null : Reading.of(content.getBytes(UTF_8), format);
    }

    /** Removes the listener. The client goes on to keep the namespace, as it does for the whole process. */
    @Override
    public void close() {
        closed = true;
        ConfigFile current = file;
        if (current != null) {
            current.removeChangeListener(listener);
        }
    }
}
