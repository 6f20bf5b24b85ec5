package dev.weir.redis.contract;

import java.util.List;

/**
 * A call of a script.
 *
 * @param text the script
 * @param arguments its arguments after the key
 */
public record ScriptCall(String text, List<byte[]> arguments) {
    /** Copies the list. */
    public ScriptCall {
        arguments = List.copyOf(arguments);
    }
}
