package dev.weir.spring.boot;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * The texts of numbers and booleans in files of YAML, which Spring keeps as what YAML 1.1 makes of them: {@code 8} of {@code 010}.
 * Not thread-safe.
 */
final class YamlTexts {
    /* An origin is made when its file is read, and so is its text, which is kept: the file may change before Spring reads it again. */
    private final IdentityHashMap<TextResourceOrigin, String> known = new IdentityHashMap<>();
    private final IdentityHashMap<TextResourceOrigin, String> used = new IdentityHashMap<>();
    private final Map<Resource, Map<Location, String>> files = new HashMap<>();

    /** The text of this value; null if its file no longer says the same. */
    @Nullable
    String of(TextResourceOrigin origin, Object value) {
        String text = known.get(origin);
        if (text == null) {
            Resource resource = origin.getResource();
            Location at = origin.getLocation();
            String found = resource == null || at == null
                    ? null
                    : files.computeIfAbsent(resource, YamlTexts::texts).get(at);
            text = found != null && value.equals(value(found)) ? found : null;
        }
        if (text != null) {
            used.put(origin, text);
        }
        return text;
    }

    void end() {
        known.clear();
        known.putAll(used);
        used.clear();
        files.clear();
    }

    private static Map<Location, String> texts(Resource file) {
        Map<Location, String> texts = new HashMap<>();
        try (InputStream bytes = file.getInputStream()) {
            for (Event event : yaml().parse(new UnicodeReader(bytes))) {
                if (event instanceof ScalarEvent scalar && scalar.getScalarStyle() == ScalarStyle.PLAIN) {
                    texts.put(
                            new Location(
                                    scalar.getStartMark().getLine(),
                                    scalar.getStartMark().getColumn()),
                            scalar.getValue());
                }
            }
        } catch (IOException | YAMLException e) {
            // What was not found is a problem of the value.
        }
        return texts;
    }

    private static @Nullable Object value(String text) {
        try {
            return yaml().load(text);
        } catch (YAMLException e) {
            return null;
        }
    }

    private static Yaml yaml() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        return new Yaml(new SafeConstructor(options));
    }
}
