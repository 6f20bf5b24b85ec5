package dev.weir.config.document.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.weir.config.document.tree.TreeReader.Tree;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A parser of JSON that reads token by token. Numbers stay as they are written. */
final class JsonTree {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(2 * TreeBuilder.MAX_DEPTH)
                    .maxNameLength(1 << 20)
                    .build())
            .build();

    /** Words of the document in a message of the parser. */
    private static final Pattern QUOTED = Pattern.compile("'[^']{2,}'|\"[^\"]{2,}\"|\\[Source.*", Pattern.DOTALL);

    private JsonTree() {}

    static Tree read(String text, TreeBuilder builder) throws Unreadable {
        try (JsonParser parser = JSON.createParser(text)) {
            int depth = 0;
            boolean isEnded = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (isEnded) {
                    throw new Unreadable(place(parser.currentTokenLocation()), "must have nothing after its end");
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                add(token, parser, builder);
                isEnded = depth == 0;
            }
        } catch (JsonProcessingException e) {
            throw new Unreadable(place(e.getLocation()), rule(e));
        } catch (IOException e) {
            throw new Unreadable(Place.NONE, "must be JSON");
        }
        return new Tree(builder.root(), true);
    }

    private static void add(JsonToken token, JsonParser parser, TreeBuilder builder) throws IOException, Unreadable {
        Place at = place(parser.currentTokenLocation());
        if (token.isStructStart()) {
            builder.begin(token == JsonToken.START_OBJECT, at);
        } else if (token.isStructEnd()) {
            builder.end();
        } else {
            builder.text(at, parser.getText(), token == JsonToken.VALUE_NULL);
        }
    }

    private static Place place(@Nullable JsonLocation location) {
        return location == null
                ? Place.NONE
                : new Place(Math.max(0, location.getLineNr()), Math.max(0, location.getColumnNr()));
    }

    private static String rule(JsonProcessingException e) {
        if (e instanceof JsonEOFException) {
            return "must be JSON: it ends before it is complete";
        }
        if (e instanceof StreamConstraintsException) {
            return "must be JSON without names, numbers or strings that are too long";
        }
        String message = e.getOriginalMessage();
        return "must be JSON: "
                + (message == null
                        ? "it cannot be parsed"
                        : QUOTED.matcher(message).replaceAll("..."));
    }
}
