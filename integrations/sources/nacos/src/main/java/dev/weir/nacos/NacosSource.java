package dev.weir.nacos;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.config.listener.Listener;
import com.alibaba.nacos.api.exception.NacosException;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.internal.Require;
import java.util.Objects;

/**
 * A document in Nacos: the content of one data id in one group. Its end says the format: JSON for {@code limits.json}; YAML for all
 * others, but {@code .properties} is refused. A data id that does not exist is an absent document.
 *
 * <p>The document is read from the server only. The files in which the client of Nacos keeps what it read last are not used:
 * while the server is away a reading fails, and what is in force stays. Readings have no revision, because Nacos numbers
 * nothing; give the document a version. Thread-safe.
 */
public final class NacosSource implements ConfigSource {
    private static final long TIMEOUT_MILLIS = 5_000;

    private final ConfigService service;
    private final String dataId;
    private final String group;
    private final Format format;
    private final Listener listener = new AbstractListener() {
        @Override
        public void receiveConfigInfo(String content) {
            changed.run();
        }
    };
    private volatile Runnable changed = () -> {};
    /* Written before the listener is removed, read after one was made: one of the two removes it. */
    private volatile boolean closed;

    private NacosSource(ConfigService service, String dataId, String group) {
        this.service = Objects.requireNonNull(service, "service");
        this.dataId = checked("dataId", dataId);
        this.group = checked("group", group);
        this.format = Format.of(dataId);
    }

    /**
     * A source of the document with this data id. The service and its namespace remain the caller's: closing the source does not
     * shut the service down. Does not connect.
     *
     * @param group {@code "DEFAULT_GROUP"} is the one that Nacos uses by default
     * @throws IllegalArgumentException if {@code dataId} or {@code group} is blank, or {@code dataId} ends with {@code .properties}
     */
    public static NacosSource of(ConfigService service, String dataId, String group) {
        return new NacosSource(service, dataId, group);
    }

    private static String checked(String name, String value) {
        Require.that(!value.isBlank(), name + " must not be blank", "\"" + value + "\"");
        return value;
    }

    @Override
    public String name() {
        return "nacos:" + group + "/" + dataId;
    }

    @Override
    public void watch(Runnable signal) {
        changed = Objects.requireNonNull(signal, "changed");
    }

    /*
     * Not getConfig: while the server is away it returns the content of a file, or null as if the document was deleted. This
     * one asks the server and throws. Signing the same listener again adds nothing.
     */
    @Override
    public Reading read() throws NacosException {
        String content = service.getConfigAndSignListener(dataId, group, TIMEOUT_MILLIS, listener);
        if (closed) {
            service.removeListener(dataId, group, listener);
        }
        return content == null || content.isEmpty()
                ? Reading.absent()
                : Reading.of(content.getBytes(UTF_8), format).whole();
    }

    /** Removes the listener. The service stays open. */
    @Override
    public void close() {
        closed = true;
        service.removeListener(dataId, group, listener);
    }
}
