package dev.weir.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.weir.named.plan.Nearest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a JSON object that was posted. A field that is null, or an empty text, is not there. */
final class PostedFields {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Map<String, Value> fields;

    /** Text of a text, number or object. */
    private record Value(JsonToken token, String text) {}

    private PostedFields(Map<String, Value> fields) {
        this.fields = fields;
    }

    /** Reads an object with these fields at most. Throws if the body is not such an object. */
    static PostedFields of(byte[] body, List<String> known) {
        Map<String, Value> fields = new HashMap<>();
        // Decoded first, because the parser would take other encodings too.
        try (JsonParser json = FACTORY.createParser(new InputStreamReader(
                new ByteArrayInputStream(body),
                StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)))) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("body must be a JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                if (!known.contains(name)) {
                    throw new IllegalArgumentException("field " + name + " is not known" + Nearest.to(name, known));
                }
                JsonToken token = json.nextToken();
                fields.put(name, new Value(token, token.isStructStart() ? copied(json) : json.getText()));
            }
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("body must be one JSON object");
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("body must be a JSON object", e);
        }
        return new PostedFields(fields);
    }

    private static String copied(JsonParser json) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator copy = FACTORY.createGenerator(text)) {
            copy.copyCurrentStructure(json);
        }
        return text.toString();
    }

    private @Nullable Value find(String name) {
        Value value = fields.get(name);
        return value == null || value.token == JsonToken.VALUE_NULL || value.text.isEmpty() ? null : value;
    }

    /** A text that must be there, of at most so many characters. */
    String text(String name, int most) {
        Value value = find(name);
        if (value == null
                || value.token != JsonToken.VALUE_STRING
                || value.text.isBlank()
                || value.text.length() > most) {
            throw new IllegalArgumentException(name + " must be a text of 1 to " + most + " characters");
        }
        return value.text;
    }

    /** The same in one line, so that a log has it as it is. */
    String line(String name, int most) {
        String text = text(name, most);
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(name + " must have no control characters");
        }
        return text;
    }

    /** An entry of a limit: an object, or a text as in a document. */
    String entry(String name) {
        Value value = find(name);
        if (value == null || (value.token != JsonToken.VALUE_STRING && value.token != JsonToken.START_OBJECT)) {
            throw new IllegalArgumentException(name + " must be an object, or a text as in a document");
        }
        return value.text;
    }

    /** A whole number of at least this; null = it is not there. */
    @Nullable
    Long number(String name, long least) {
        Value value = find(name);
        if (value == null) {
            return null;
        }
        try {
            long number = value.token == JsonToken.VALUE_NUMBER_INT ? Long.parseLong(value.text) : least - 1;
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException tooLarge) {
            // told below
        }
        throw new IllegalArgumentException(name + " must be a whole number >= " + least + ", was " + value.text);
    }

    long needed(String name) {
        Long number = number(name, 0);
        if (number == null) {
            throw new IllegalArgumentException(name + " must be given");
        }
        return number;
    }
}
