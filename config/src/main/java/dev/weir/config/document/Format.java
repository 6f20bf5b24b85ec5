package dev.weir.config.document;

import java.util.Locale;

/** The notation of a document. All say the same. */
public enum Format {
    /** YAML 1.2. */
    YAML,
    /** JSON. */
    JSON,
    /** The {@linkplain DocumentTree#json JSON of a tree}: the names of fields are compared as in a tree. */
    TREE;

    /**
     * The format by the end of a name: JSON for {@code .json}; YAML for all others.
     *
     * @throws IllegalArgumentException for {@code .properties}
     */
    public static Format of(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.endsWith(".properties")) {
            throw new IllegalArgumentException(
                    "name must be that of a document in YAML or JSON, was \"" + name + "\"; see DocumentTree.ofKeys");
        }
        return lower.endsWith(".json") ? JSON : YAML;
    }
}
