package dev.weir.spring.boot;

import java.util.List;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** The names of the properties that Spring binds. */
final class KnownProperties {
    private static final List<String> SOURCE =
            List.of("file", "read-every", "last-good", "instance", "start-within", "fail-on-problems");
    private static final List<String> WEB =
            List.of("routes", "exempt", "proxies", "keys", "fields", "legacy", "problems", "challenge", "order");
    private static final List<String> ROUTE = List.of("path", "limits", "cost");

    private KnownProperties() {}

    /** Those that could have been meant by a name. */
    static List<String> beside(ConfigurationPropertyName unknown) {
        String text = unknown.toString();
        return text.startsWith("weir.source.") ? SOURCE : text.startsWith("weir.web.routes[") ? ROUTE : WEB;
    }
}
