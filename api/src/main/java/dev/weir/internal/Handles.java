package dev.weir.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The handles of fields that are changed by CAS: an object with such a field has no atomic object beside it. */
public final class Handles {
    private Handles() {}

    /** The handle of a field of the class that made the lookup. */
    public static VarHandle of(MethodHandles.Lookup own, String field, Class<?> type) {
        try {
            return own.findVarHandle(own.lookupClass(), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
