rules user/no-large-f32-weights --rules doc/rules.d
