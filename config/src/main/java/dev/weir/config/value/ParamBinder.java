package dev.weir.config.value;

import dev.weir.spi.Registration;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The bindings of the methods and fields of objects to values; the objects are held by others. Thread-safe. */
final class ParamBinder {
    private final ValueStore store;
    private final Converters converters;
    private final Set<Binding> bindings = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Object> unreachable = new ReferenceQueue<>();

    ParamBinder(ValueStore store, Converters converters) {
        this.store = store;
        this.converters = converters;
    }

    Registration bind(Object target) {
        List<ParamMember> members = ParamMember.of(target);
        if (members.isEmpty()) {
            throw new IllegalArgumentException(
                    target.getClass().getName() + " must have a method or field with @ConfigParam");
        }
        return bind(target, members);
    }

    <T> T create(Class<T> type) {
        if (type.isRecord()
                && Stream.of(type.getRecordComponents())
                        .anyMatch(each -> each.isAnnotationPresent(ConfigParam.class))) {
            return store.value(Group.of("", type, converters)).get();
        }
        T created = new ParamConstructor<>(type).call(store, converters);
        List<ParamMember> members = ParamMember.of(created);
        if (!members.isEmpty()) {
            bind(created, members);
        }
        return created;
    }

    private Registration bind(Object target, List<ParamMember> members) {
        removeUnreachable();
        List<ParamKey> keys = members.stream()
                .map(member -> ParamKey.of(member.param(), member.type(), converters))
                .toList();
        Binding binding = new Binding(target);
        bindings.add(binding);
        Registration registration = () -> {
            try {
                close(binding);
            } finally {
                Reference.reachabilityFence(target);
            }
        };
        try {
            for (int i = 0; i < keys.size(); i++) {
                bind(binding, members.get(i), keys.get(i));
            }
        } catch (Throwable t) {
            registration.close();
            throw t;
        }
        return registration;
    }

    private void bind(Binding binding, ParamMember member, ParamKey key) {
        ParamTarget target = new ParamTarget(binding, member, key.orElse());
        ConfigValue<Optional<Object>> value = key.in(store);
        ValueListener<Optional<Object>> listener = new ValueListener<>(value, member.name(), target);
        binding.members.add(value.listen(listener));
        listener.start();
        Throwable failure = target.failure();
        if (failure != null) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + key.key() + "\") must be accepted by " + member.name(), failure);
        }
        store.report(value, listener);
    }

    private void close(Binding binding) {
        bindings.remove(binding);
        binding.members.forEach(Registration::close);
    }

    private void removeUnreachable() {
        for (Reference<?> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
            close((Binding) gone);
        }
    }

    /** The bindings of one object, which may become unreachable. */
    private final class Binding extends WeakReference<Object> {
        private final List<Registration> members = new ArrayList<>();

        private Binding(Object target) {
            super(target, unreachable);
        }
    }
}
