package dev.weir.config.document;

import java.util.Locale;

/** The notation of a document. All three say the same. */
public enum Format {
    /** YAML 1.2. */
    YAML,
    /** JSON. */
    JSON,
    /** Lines of {@code limits.checkout.concurrency=40}, as {@link java.util.Properties} reads them; UTF-8. */
    PROPERTIES;

    /** The format by the end of a name: {@code .json}, {@code .properties}; YAML for all others. */
    public static Format of(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.endsWith(".json")) {
            return JSON;
        }
        return lower.endsWith(".properties") ? PROPERTIES : YAML;
    }
}
