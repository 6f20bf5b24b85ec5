package dev.weir.consul;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import java.io.IOException;

/** The parser of Consul's answer for one key: {@code [{"CreateIndex": 3, "ModifyIndex": 7, "Value": "bGltaXRz", ...}]}. */
final class KeyAnswer {
    private static final JsonFactory JSON = new JsonFactory();

    private KeyAnswer() {}

    /** @throws IOException if the answer is something else; the message has nothing of it */
    static Reading reading(byte[] answer, Format format) throws IOException {
        try (JsonParser json = JSON.createParser(answer)) {
            expect(json.nextToken() == JsonToken.START_ARRAY && json.nextToken() == JsonToken.START_OBJECT);
            byte[] value = null;
            long modifyIndex = -1;
            String createIndex = "";
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken token = json.nextToken();
                switch (field) {
                    // A key without a value has null.
                    case "Value" -> value = token == JsonToken.VALUE_NULL ? new byte[0] : json.getBinaryValue();
                    case "CreateIndex" -> createIndex = Long.toString(json.getLongValue());
                    case "ModifyIndex" -> modifyIndex = json.getLongValue();
                    default -> json.skipChildren();
                }
            }
            expect(json.nextToken() == JsonToken.END_ARRAY && json.nextToken() == null);
            if (value == null || modifyIndex < 0) {
                throw unknown();
            }
            return Reading.of(value, format).revision(modifyIndex, createIndex).whole();
        } catch (JsonProcessingException e) {
            throw unknown();
        }
    }

    private static void expect(boolean holds) throws IOException {
        if (!holds) {
            throw unknown();
        }
    }

    private static IOException unknown() {
        return new IOException("answers with something else than one key of Consul");
    }
}
