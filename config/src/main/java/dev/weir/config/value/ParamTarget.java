package dev.weir.config.value;

import java.lang.ref.WeakReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A member of an object that others hold, as a listener. Its turns are serial. */
final class ParamTarget implements ValueListener.Target<Optional<Object>> {
    private final WeakReference<Object> object;
    private final ParamMember member;
    private final Optional<Object> orElse;
    private boolean taken;
    private @Nullable Throwable failure;

    ParamTarget(WeakReference<Object> object, ParamMember member, Optional<Object> orElse) {
        this.object = object;
        this.member = member;
        this.orElse = orElse;
    }

    /** Why neither the value nor the default was taken; null = one was, or there is no default. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    @Override
    public void accept(Optional<Object> value) throws Throwable {
        Object target = object.get();
        if (target == null) {
            return;
        }
        try {
            set(target, value);
        } catch (Throwable refused) {
            if (!taken && orElse.isPresent()) {
                setDefault(target, value, refused);
            }
            throw refused;
        }
    }

    private void setDefault(Object target, Optional<Object> refusedValue, Throwable refused) {
        if (refusedValue.equals(orElse)) {
            failure = refused;
            return;
        }
        try {
            set(target, orElse);
        } catch (Throwable alsoRefused) {
            failure = alsoRefused;
        }
    }

    private void set(Object target, Optional<Object> value) throws Throwable {
        if (value.isPresent()) {
            member.set(target, value.get());
        } else {
            member.clear(target);
        }
        taken = true;
    }
}
