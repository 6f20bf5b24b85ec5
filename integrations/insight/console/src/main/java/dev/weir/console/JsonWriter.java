package dev.weir.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A writer of one JSON object, in ASCII and in one line. Characters that have a meaning in HTML, control characters and halves of
 * surrogate pairs are escaped, so any text of anybody is one text for its reader. A null value is left out.
 */
final class JsonWriter {
    private static final JsonFactory FACTORY = ((JsonFactoryBuilder) JsonFactory.builder())
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    /** They are nowhere in JSON but in texts. */
    private static final Pattern ESCAPED = Pattern.compile("[<>&'\u007f]");

    private final JsonGenerator json;

    private JsonWriter(JsonGenerator json) {
        this.json = json;
    }

    private interface Step {
        void run() throws IOException;
    }

    private interface Item<T> {
        void write(T value) throws IOException;
    }

    static String object(Consumer<JsonWriter> content) {
        return written(json -> {
            json.writeStartObject();
            content.accept(new JsonWriter(json));
            json.writeEndObject();
        });
    }

    static String quoted(String value) {
        return written(json -> json.writeString(value));
    }

    private static String written(Item<JsonGenerator> content) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            content.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ESCAPED.matcher(text.toString())
                .replaceAll(
                        found -> String.format("\\\\u%04X", (int) found.group().charAt(0)));
    }

    private JsonWriter does(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    JsonWriter text(String name, @Nullable Object value) {
        return value == null ? this : does(() -> json.writeStringField(name, value.toString()));
    }

    JsonWriter number(String name, @Nullable Long value) {
        return value == null ? this : does(() -> json.writeNumberField(name, value));
    }

    JsonWriter decimal(String name, double value) {
        return does(() -> json.writeNumberField(name, value));
    }

    JsonWriter is(String name, boolean value) {
        return does(() -> json.writeBooleanField(name, value));
    }

    /** Writes a value that is JSON already. */
    JsonWriter raw(String name, String value) {
        return does(() -> {
            json.writeFieldName(name);
            json.writeRawValue(value);
        });
    }

    JsonWriter object(String name, Consumer<JsonWriter> content) {
        return does(() -> {
            json.writeObjectFieldStart(name);
            content.accept(this);
            json.writeEndObject();
        });
    }

    /** An object of this value; null is left out. */
    <T> JsonWriter object(String name, @Nullable T value, BiConsumer<JsonWriter, ? super T> content) {
        return value == null ? this : object(name, json -> content.accept(json, value));
    }

    private <T> JsonWriter array(String name, Collection<T> values, Item<? super T> item) {
        return does(() -> {
            json.writeArrayFieldStart(name);
            for (T value : values) {
                item.write(value);
            }
            json.writeEndArray();
        });
    }

    <T> JsonWriter objects(String name, Collection<T> values, BiConsumer<JsonWriter, ? super T> content) {
        return array(name, values, value -> {
            json.writeStartObject();
            content.accept(this, value);
            json.writeEndObject();
        });
    }

    JsonWriter texts(String name, Collection<?> values) {
        return array(name, values, value -> json.writeString(String.valueOf(value)));
    }

    /** Values that are JSON already. */
    JsonWriter raws(String name, Collection<String> values) {
        return array(name, values, json::writeRawValue);
    }

    JsonWriter numbers(String name, Collection<long[]> rows) {
        return array(name, rows, row -> json.writeArray(row, 0, row.length));
    }

    JsonWriter decimals(String name, double[] values) {
        return does(() -> {
            json.writeFieldName(name);
            json.writeArray(values, 0, values.length);
        });
    }
}
