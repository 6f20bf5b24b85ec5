package dev.weir.config.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An {@link InstanceStatus} as a JSON object with the names of its components. */
final class StatusJson {
    private static final JsonFactory JSON = new JsonFactory();

    private StatusJson() {}

    static String write(InstanceStatus status) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("instance", status.instance());
            json.writeStringField("version", status.version());
            json.writeStringField("result", status.result().name().toLowerCase(Locale.ROOT));
            json.writeArrayFieldStart("errors");
            for (String error : status.errors()) {
                json.writeString(error);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    static InstanceStatus read(String text) {
        String instance = null;
        String version = null;
        String result = null;
        List<String> errors = new ArrayList<>();
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("status must be a JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "instance" -> instance = json.getValueAsString();
                    case "version" -> version = json.getValueAsString();
                    case "result" -> result = json.getValueAsString();
                    case "errors" -> addStrings(json, errors);
                    default -> json.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("status must be a JSON object", e);
        }
        return new InstanceStatus(
                present("instance", instance),
                present("version", version),
                InstanceStatus.Result.valueOf(present("result", result).toUpperCase(Locale.ROOT)),
                errors);
    }

    private static void addStrings(JsonParser json, List<String> strings) throws IOException {
        if (!json.isExpectedStartArrayToken()) {
            throw new IllegalArgumentException("errors must be an array");
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            String string = json.getValueAsString();
            if (string == null) {
                throw new IllegalArgumentException("errors must be an array of text");
            }
            strings.add(string);
        }
    }

    private static String present(String name, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " must be text");
        }
        return value;
    }
}
