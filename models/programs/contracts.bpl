// Procedures that are known by their contracts only, and their caller.

var balance: int;

procedure deposit(amount: int);
  requires amount > 0;
  modifies balance;
  ensures balance == old(balance) + amount;

// The bank keeps at most a half.
procedure fee(amount: int) returns (kept: int);
  requires amount > 0;
  ensures 0 <= kept && 2 * kept < amount;

procedure pay_in(amount: int)
  requires amount > 0;
  modifies balance;
  ensures balance >= old(balance);
  ensures balance > old(balance);
  ensures balance == old(balance) + amount;   // wrong if there is a fee
{
  var kept: int;
  call kept := fee(amount);
  call deposit(amount - kept);
}

procedure twice(amount: int)
  modifies balance;
{
  if (amount > 0) { call pay_in(amount); }
  call pay_in(amount);                        // wrong: it may be zero
}
