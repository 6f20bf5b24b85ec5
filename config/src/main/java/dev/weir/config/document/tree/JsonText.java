package dev.weir.config.document.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A writer of maps, lists, texts, numbers, booleans and nulls as JSON. */
public final class JsonText {
    private static final JsonFactory JSON = new JsonFactory();
    private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");

    /** Half a character, which UTF-8 does not have, is beyond this. */
    private static final int LAST_PLAIN = Character.MIN_SURROGATE - 1;

    private JsonText() {}

    public static String of(@Nullable Object value) {
        return text(value, false);
    }

    public static String indented(Object value) {
        return text(value, true) + "\n";
    }

    private static String text(@Nullable Object value, boolean isIndented) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.setHighestNonEscapedChar(LAST_PLAIN);
            if (isIndented) {
                DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
                printer.indentObjectsWith(LINES);
                json.setPrettyPrinter(printer);
            }
            write(json, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(String.valueOf(entry.getKey()));
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                write(json, element);
            }
            json.writeEndArray();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Number number) {
            json.writeNumber(
                    new BigDecimal(number.toString()).stripTrailingZeros().toPlainString());
        } else if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value.toString());
        }
    }
}
