package dev.weir.config.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.config.source.InstanceStatus.Result;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An {@link InstanceStatus} as a JSON object with the names of its components. Also read is the form before {@code running} was
 * told: {@code version} is what was offered, {@code errors} are the problems.
 */
final class StatusJson {
    private static final JsonFactory JSON = new JsonFactory();

    private StatusJson() {}

    static String write(InstanceStatus status) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("instance", status.instance());
            json.writeStringField("running", status.running());
            json.writeStringField("offered", status.offered());
            json.writeStringField("result", status.result().name().toLowerCase(Locale.ROOT));
            json.writeArrayFieldStart("problems");
            for (String problem : status.problems()) {
                json.writeString(problem);
            }
            json.writeEndArray();
            json.writeStringField("since", status.since().toString());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    static InstanceStatus read(String text) {
        Map<String, @Nullable String> members = new HashMap<>();
        List<String> problems = new ArrayList<>();
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("status must be a JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "instance", "running", "offered", "version", "result", "since" ->
                        members.put(name, json.getValueAsString());
                    case "problems", "errors" -> addStrings(json, problems);
                    default -> json.skipChildren();
                }
            }
            Result result = Result.valueOf(present("result", members).toUpperCase(Locale.ROOT));
            boolean isOld = members.containsKey("version");
            String offered = present(isOld ? "version" : "offered", members);
            String running = !isOld ? present("running", members) : result == Result.ACCEPTED ? offered : "";
            return new InstanceStatus(
                    present("instance", members),
                    running,
                    offered,
                    result,
                    problems,
                    isOld ? Instant.EPOCH : Instant.parse(present("since", members)));
        } catch (IOException | DateTimeException e) {
            throw new IllegalArgumentException("status must be a JSON object with the fields of a status", e);
        }
    }

    private static void addStrings(JsonParser json, List<String> strings) throws IOException {
        if (!json.isExpectedStartArrayToken()) {
            throw new IllegalArgumentException("problems must be an array");
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            String string = json.getValueAsString();
            if (string == null) {
                throw new IllegalArgumentException("problems must be an array of text");
            }
            strings.add(string);
        }
    }

    private static String present(String name, Map<String, @Nullable String> members) {
        String value = members.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " must be text");
        }
        return value;
    }
}
